#!/usr/bin/env bash
# Builds the command for Linux, macOS and Windows, amd64 and arm64, with the
# version stamped in, wheels of the Python package with it inside, and checksums:
# scripts/release.sh [VERSION [DIR]].
# The same sources, version and Go give the same bytes. The revision is stamped in,
# too, so that all platforms' builds of a clean one count as the same program.
set -euo pipefail
cd "$(dirname "$0")/.."

version=${1:-$(git describe --tags --always --dirty 2>/dev/null || echo unknown)}
out=${2:-dist}
mkdir -p "$out"
out=$(cd "$out" && pwd)

# The platforms that a wheel is for. Linux's goes with any C library: the command is linked statically.
platform() {
  case $1 in
  linux-amd64) echo manylinux_2_17_x86_64.musllinux_1_1_x86_64 ;;
  linux-arm64) echo manylinux_2_17_aarch64.musllinux_1_1_aarch64 ;;
  darwin-amd64) echo macosx_12_0_x86_64 ;;
  darwin-arm64) echo macosx_12_0_arm64 ;;
  windows-amd64) echo win_amd64 ;;
  windows-arm64) echo win_arm64 ;;
  esac
}

names=()
for os in linux darwin windows; do
  for arch in amd64 arm64; do
    name=simulate-$os-$arch
    [ "$os" = windows ] && name=$name.exe
    CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -buildvcs=auto \
      -ldflags "-s -w -X overhear/experiment.Version=$version" -o "$out/$name" ./cmd/simulate
    names+=("$name")
    names+=("$(python3 python/wheel_of_overhear.py "$version" "$out/$name" "$(platform "$os-$arch")" "$out")")
  done
done

cd "$out"
if command -v sha256sum >/dev/null; then sha256sum "${names[@]}"; else shasum -a 256 "${names[@]}"; fi >SHA256SUMS
echo "version $version:"
cat SHA256SUMS
