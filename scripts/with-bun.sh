#!/bin/sh
# Runs a command with the pinned Bun first on PATH: scripts/with-bun.sh bun test.ts
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/fw"

[ $# -ge 1 ] || fail "usage: scripts/with-bun.sh COMMAND [ARGUMENT...]"

case $platform in
  linux-x64) pin="@oven/bun-linux-x64 1.4.5 2165fd0442e8187014b4ca2791e49a35a6705f3464fa80f0e8c93e1c115777728760804d06c20646ea4c64f7203680db2692eeea00098c8a0854f66db75689d6" ;;
  linux-arm64) pin="@oven/bun-linux-aarch64 1.4.5 e015e6b122a78ceae5196a99578c7fa166bb015a11f81ea509775d3333805c1226dede747ac960f706faea09ad5b501a984435975083be69abbb2b0486a39632" ;;
  darwin-x64) pin="@oven/bun-darwin-x64 1.4.5 aa42cf3061d933d348e827874d6c157b3ce6968e9c0b84daef25008d82165d2dfaeaa41c3a5729ef9b76b99ca2b9544130f4b487da84d2d09cbc21c6685aa326" ;;
  darwin-arm64) pin="@oven/bun-darwin-aarch64 1.4.5 e0c2055c799cb47d84840c4b5e6dbfab136dbf5edd16d2c9ca5bda382b2b82ae8a4aa1d3b3a796e584ab26345b27161425a47dd357ec37c25f64e6be0ac5a959" ;;
  *) fail "no Bun is pinned for this system" ;;
esac

# shellcheck disable=SC2086 # word splitting is intended
fetch $pin bin/bun
PATH=${fetched%/*}:$PATH exec "$@"
