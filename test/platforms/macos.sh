#!/usr/bin/env bash
# macOS, simulated on Linux: neither /proc nor cgroups, the platform's name in all threads and processes, and a temporary directory whose path is as
# long as there. Run as root. What needs a Mac's own kernel is not tested: V8's sampling, its signals, `ps`.
. "$(dirname "$0")/common.sh"

require_namespaces
# with_macos <command...>: libuv gets the few files of /proc by which it starts on Linux.
with_macos () {
  # shellcheck disable=SC2016 # expanded by the inner shell
  in_namespace bash -c '
    real=$1/proc long=$1/folders-of-a-user-whose-temporary-directory-has-a-rather-long-name/T
    shift
    mkdir -p "$real" "$long"
    mount --rbind /proc "$real" && mount -t tmpfs tmpfs /proc && mount -t tmpfs tmpfs /run || exit 125
    if [ -d /sys/fs/cgroup ]; then mount -t tmpfs tmpfs /sys/fs/cgroup || exit 125; fi
    mkdir /proc/self
    for name in self/exe self/stat meminfo stat cpuinfo; do ln -s "$real/$name" "/proc/$name"; done
    export TMPDIR=$long NODE_OPTIONS=--require=$PWD/test/fixtures/platforms/darwin.js
    exec "$@"
  ' bash "$scratch" "$@"
}

cd "$root"
with_macos node --eval 'process.exit(process.platform === "darwin" ? 0 : 1)' 2> /dev/null || skip 'this machine does not let /proc be replaced'

status=0
with_macos timeout --kill-after=10 120 node test/platforms/smoke.js "$scratch/report" > "$scratch/output" 2>&1 || status=$?
judge "$scratch/report" "$scratch/output" "$status" false


# What differs by platform: verdicts without the scheduler's figures, how processes are found, where files are; for a release all stalls and commands.
# Left out is what needs Linux: proof that a process was suspended, namespaces, files without a name; and a list of all processes, which finds those of
# the real machine below /tmp.
areas=(test/findings test/store test/cli/names.test.js test/stalls/without-scheduler.test.js)
if [ "${RELEASE:-false}" = true ]; then areas+=(test/stalls test/cli); fi
mapfile -t files < <(find "${areas[@]}" -name '*.test.js' \
  ! -name '*.slow.test.js' ! -path test/stalls/suspended.test.js ! -path test/cli/top.test.js ! -path test/cli/control-sockets.test.js ! -path test/store/reservation.test.js | sort -u)
status=0
with_macos node test/runner/run.js --again 2 --report "$scratch/areas" "${files[@]}" || status=$?
if [ "$status" != 0 ]; then grep -A 30 '✖' "$scratch/areas" | tail -n 200; fi
exit "$status"
