#!/bin/sh
# TypeScript 7: what does a call cost whose parameter accepts one of many string literals?
#
# One would guess: the same, whether the parameter has the union as its type or a type parameter that the union constrains,
# as typed catalogues of messages, routes and events have it (`get<K extends Keys>(key: K)`). The compiler finds a literal in a
# union by a hash or a binary search, so that both should be independent of the number of literals.
#
# What happens: both are linear in the number of literals, and the type parameter costs several times as much, because the
# compiler looks through the whole union for each kind of primitive type that a literal could widen to. With 8,000 keys
# and 8,000 calls it decides the duration of the check. An overload without a type parameter for the usual case avoids most of it.
#
# Usage: findings/typescript-7-keys-as-constraint.sh (needs npm). Exits with 1 if it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-save typescript@7.0.2

cat > check.mjs <<'SCRIPT'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const number = 8000
const keys = Array.from({ length: number }, (_, at) => `'group${at % 500}.key${at}'`)
const declarations = {
  'no parameter': 'declare function get(): string',
  union: `declare function get(key: Keys): string`,
  'type parameter': `declare function get<K extends Keys>(key: K): string`,
}
const seconds = {}
for (const [name, declaration] of Object.entries(declarations)) {
  const calls = keys.map((key) => `get(${name === 'no parameter' ? '' : key})`)
  writeFileSync('file.ts', [`type Keys = ${keys.join(' | ')}`, declaration, ...calls, ''].join('\n'))
  const times = Array.from({ length: 5 }, () => {
    const args = ['--noEmit', '--singleThreaded', '--extendedDiagnostics', 'file.ts']
    const { stdout, status } = spawnSync('node_modules/.bin/tsc', args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(stdout)
    return Number(/Check time: +([\d.]+)s/.exec(stdout)[1])
  })
  seconds[name] = Math.min(...times)
  console.log(`TypeScript 7.0.2, ${number} calls, ${name}: checked in ${seconds[name]} s`)
}
const base = seconds['no parameter']
const ratio = (seconds['type parameter'] - base) / (seconds.union - base)
console.log(`the type parameter costs ${ratio.toFixed(1)} times as much as the union`)
if (!(ratio > 1.5)) process.exit(1)
SCRIPT
node check.mjs || { echo 'The behaviour has changed.'; exit 1; }
