#!/bin/sh
# pg: what does the query option `binary: true` return?
#
# One would guess: the same values, faster or slower. PostgreSQL sends binary results, and pg-types has a parser of binary values
# for each of these types.
#
# What happens: pg 8.23.1 decodes each binary field as UTF-8 before its parser, which encodes the text again. Bytes from 0x80 on are
# lost, without an error: 200 is returned as 239, 1.5 as 0.99…, and a timestamp is wrong by more than a minute. 100, 300 and true stay
# right, because all of their bytes are below 0x80.
#
# Usage: findings/pg-binary-results.sh (needs Node 20 and npm). Exits with 1 if something else happens.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > check.mjs <<'SCRIPT'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import pg from 'pg'

const database = await PGlite.create()
const server = new PGLiteSocketServer({ db: database, port: 0, host: '127.0.0.1' })
await server.start()
const port = Number(server.getServerConn().split(':').at(-1))
const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' })
await client.connect()
for (const value of ['100::int4', '200::int4', '300::int4', '1.5::float8', 'true', "'2026-11-30 12:00Z'::timestamptz"]) {
  const read = async (binary) => {
    const { rows } = await client.query({ text: `select ${value} as v where $1`, values: [true], binary })
    return JSON.stringify(rows[0].v)
  }
  console.log(`${value}: text ${await read(false)}, binary ${await read(true)}`)
}
await client.end()
await server.stop()
await database.close()
process.exit()
SCRIPT

npm install --silent --no-save @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1
seen=$(node check.mjs)
printf '%s\n' "$seen"
expected='100::int4: text 100, binary 100
200::int4: text 200, binary 239
300::int4: text 300, binary 300
1.5::float8: text 1.5, binary 0.9921555519104004
true: text true, binary true
'"'2026-11-30 12:00Z'::timestamptz: text \"2026-11-30T12:00:00.000Z\", binary \"2026-11-30T12:01:19.941Z\""
[ "$seen" = "$expected" ] || {
  echo "expected: $expected"
  exit 1
}
