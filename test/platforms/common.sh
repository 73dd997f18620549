# Sourced by the platforms' scripts: a scratch folder, packages of Debian that are unpacked and not installed, and what the smoke test's report means.
#
# Status 0: what was run is correct. 77: skipped, the reason is printed: a package cannot be had, this machine does not allow namespaces, or the
# emulator fails by itself. Anything else: a wrong answer.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT

skip () {
  echo "skipped: $*"
  exit 77
}

# in_namespace <command...>: as root of mount and process namespaces of its own. What it mounts and starts ends with it.
in_namespace () {
  unshare --mount --pid --fork --kill-child --mount-proc "$@"
}

require_namespaces () {
  in_namespace true 2> /dev/null || skip 'this machine does not allow namespaces'
}

# debian <suite> <folder> <package...>: unpacks them there; --closure as the first package: with all that they need. From the machine's own mirror.
debian () {
  local suite=$1 folder=$2 mirror state=$scratch/apt-$1 archives
  shift 2
  # shellcheck disable=SC1091,SC2016
  mirror=$(apt-get indextargets --no-release-info --format '$(SITE) $(RELEASE) $(COMPONENT)' 2> /dev/null |
    awk -v release="$(. /etc/os-release && echo "${VERSION_CODENAME:-}")" '$2 == release && $3 == "main" { mirror = $1 } END { print mirror }') || true
  [ -n "$mirror" ] || skip 'no mirror of Debian is configured'
  archives=$state/cache/archives
  mkdir -p "$state/lists/partial" "$archives/partial" "$folder"
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nArchitectures: amd64\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' "$mirror" "$suite" > "$state/$suite.sources"
  local apt=(-qq -o "Dir::Etc::sourcelist=$state/$suite.sources" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$state/lists" -o Dir::State::status=/dev/null
    -o "Dir::Cache=$state/cache" -o APT::Sandbox::User=root -o APT::Install-Recommends=false -o Acquire::Retries=2 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20)
  timeout 90 apt-get update "${apt[@]}" > "$state/log" 2>&1 || skip "Debian's list of packages ($suite): $(tail -n 1 "$state/log")"
  if [ "$1" = --closure ]; then
    shift
    timeout 240 apt-get install --yes --download-only -o Debug::NoLocking=1 "${apt[@]}" "$@" > "$state/log" 2>&1 || skip "$*: $(tail -n 1 "$state/log")"
  else
    (cd "$archives" && timeout 120 apt-get download "${apt[@]}" "$@") > "$state/log" 2>&1 || skip "$*: $(tail -n 1 "$state/log")"
  fi
  local package
  for package in "$archives"/*.deb; do dpkg-deb --extract "$package" "$folder" || skip "$package cannot be unpacked"; done
  rm -f "$archives"/*.deb
}

# npm_package <folder> <package@version>: unpacks it there.
npm_package () {
  mkdir -p "$1"
  (cd "$1" && timeout 180 npm pack --silent "$2" > /dev/null 2> "$scratch/npm.log" && tar --extract --gzip --strip-components 1 --file ./*.tgz && rm ./*.tgz) || skip "$2: $(tail -n 1 "$scratch/npm.log")"
}

# judge <report> <output> <status> <true: emulated>: prints the report. An emulator may be late, or end by itself, and every machine may be too slow; a
# wrong answer is one everywhere.
judge () {
  local report=$1 output=$2 status=$3 emulated=$4 result
  if [ -e "$report" ]; then cat "$report"; fi
  result=$(tail -n 1 "$report" 2> /dev/null || true)
  if [ "$result" = 'smoke: ok' ]; then return 0; fi
  if grep -q '^FAILED' "$report" 2> /dev/null; then exit 1; fi
  if [ -e "$output" ]; then tail -n 20 "$output"; fi
  if [ "$status" = 124 ] || [ "$status" = 137 ]; then skip 'the smoke test was not over in time'; fi
  if "$emulated"; then skip "the emulator was late or ended by itself (${result:-no answer}, status $status)"; fi
  exit 1
}
