#!/bin/sh
# PGlite: which statement gives a session its first user back after `set session authorization`?
#
# One would guess: `reset session authorization` and `discard all`, as PostgreSQL documents them and as a server does.
#
# What happens in PGlite 0.5.16: neither. Both succeed, and the session keeps the other user. Only `set session authorization
# postgres`, with the name, gives it back. Code that hands the one connection to the next caller must know that name.
#
# Usage: findings/pglite-session-user.sh (needs Node 20 and npm). Exits with 1 if something else happens.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > check.mjs <<'SCRIPT'
import { PGlite } from '@electric-sql/pglite'

const database = await PGlite.create()
await database.exec('create role ann; set session authorization ann')
for (const sql of ['reset session authorization', 'discard all', 'set session authorization postgres']) {
  await database.query(sql)
  const { rows } = await database.query('select session_user as name')
  console.log(`${sql}: ${rows[0].name}`)
}
await database.close()
SCRIPT

npm install --silent --no-save @electric-sql/pglite@0.5.16
seen=$(node check.mjs)
printf '%s\n' "$seen"
expected='reset session authorization: ann
discard all: ann
set session authorization postgres: postgres'
[ "$seen" = "$expected" ] || {
  echo "expected: $expected"
  exit 1
}
