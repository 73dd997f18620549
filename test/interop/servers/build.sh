#!/usr/bin/env bash
# Builds the servers that the tests of egress talk to, and what reads Alloy's syntax, of their Go modules:
#   TEST_SERVERS=<folder> test/interop/servers/build.sh [minutes]
# What is in the folder already stays. One that cannot be built (no Go, or an old one; a module that is not to be had; no time left) is
# left out, with its reason: its tests are skipped then. What was downloaded and compiled for it is removed.
set -euo pipefail

folder=${TEST_SERVERS:?is not set: the folder for the servers}
deadline=$((SECONDS + ${1:-8} * 60))
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
scratch=$(mktemp -d)
log=$scratch/log
trap 'rm -rf "$scratch"' EXIT

# A Go that is too old may fetch a newer one, which is a module as well. What only a debugger
# reads is not made.
export GOTOOLCHAIN=auto GOWORK=off CGO_ENABLED=0 GOFLAGS='-modcacherw -gcflags=all=-dwarf=false' GOMODCACHE=$scratch/modules GOCACHE=$scratch/cache GOBIN=$scratch/bin

# limited <command...>
limited () {
  local left=$((deadline - SECONDS)) status=0
  if [ "$left" -le 0 ]; then echo "no time left" >> "$log"; return 1; fi
  timeout --kill-after=10 "$left" "$@" >> "$log" 2>&1 || status=$?
  [ "$status" -ne 124 ] || echo "no time left" >> "$log"
  return "$status"
}

# The collector has no receiver for profiles unless it is built with the one for OTLP. Other exporters need modules that are not everywhere.
build_otelcol () {
  local version=$1 binary=$2
  sed -e "s|@version@|$version|" -e "s|@folder@|$scratch/otelcol|" "$here/otelcol-builder.yaml" > "$scratch/builder.yaml" &&
    limited go install "go.opentelemetry.io/collector/cmd/builder@v$version" &&
    limited "$GOBIN/builder" --config "$scratch/builder.yaml" --gcflags=all=-dwarf=false &&
    mv "$scratch/otelcol/otelcol" "$binary"
}

# Its module names a folder beside it that no module has; the same is there as a module of its own.
build_pyroscope () {
  local version=$1 binary=$2 module=github.com/grafana/pyroscope source=$scratch/pyroscope
  limited go mod download "$module@v$version" &&
    cp -r "$GOMODCACHE/$module@v$version" "$source" &&
    rm -f "$source/go.work" &&
    limited go -C "$source" mod edit "-dropreplace=$module/api" "-require=$module/api@v1.2.0" &&
    limited go -C "$source" build -mod=mod -ldflags='-s -w' -o "$scratch/built" ./cmd/pyroscope &&
    mv "$scratch/built" "$binary"
}

# Alloy itself is too large.
build_alloy-syntax () {
  local version=$1 binary=$2 source=$scratch/alloy-syntax
  cp -r "$here/alloy-syntax" "$source" &&
    limited go -C "$source" mod init alloy-syntax &&
    limited go -C "$source" get "github.com/grafana/alloy/syntax@v$version" &&
    limited go -C "$source" build -o "$scratch/built" . &&
    mv "$scratch/built" "$binary"
}

# build <name> <version> <minutes that it takes at least>
build () {
  local name=$1 version=$2 least=$3 from=$SECONDS
  local binary=$folder/$name-$version
  if [ -x "$binary" ]; then echo "$name $version: is there"; return; fi
  if [ $((deadline - SECONDS)) -lt $((least * 60)) ]; then echo "$name $version: not built: it takes $least minutes, and $((deadline - SECONDS)) s are left"; return; fi
  : > "$log"
  if ! command -v go > /dev/null; then echo "go: command not found" > "$log"
  elif "build_$name" "$version" "$binary"; then echo "$name $version: built in $((SECONDS - from)) s"; return; fi
  echo "$name $version: not built after $((SECONDS - from)) s: $(tail -n 1 "$log")"
}

build alloy-syntax 0.1.0 0
build otelcol 0.162.0 3
build pyroscope 1.12.0 5
