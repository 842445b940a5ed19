#!/bin/sh
# pg and postgres.js: what do they send for the second execution of a prepared statement?
#
# One would guess: the same messages, Bind, Execute and Sync. Parse and Describe belong to the preparation, and the columns of a
# prepared statement cannot change: PostgreSQL refuses to execute it then.
#
# What happens: pg 8.23.1 caches only Parse. It sends Describe with each execution, and the server describes all columns each time.
# postgres.js 3.4.9 describes the statement once.
#
# Usage: findings/pg-describes-each-execution.sh (needs Node 20 and npm). Exits with 1 if something else happens.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > check.mjs <<'SCRIPT'
import { once } from 'node:events'
import net from 'node:net'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import pg from 'pg'
import postgres from 'postgres'

const database = await PGlite.create()
const server = new PGLiteSocketServer({ db: database, port: 0, host: '127.0.0.1' })
await server.start()
const target = Number(server.getServerConn().split(':').at(-1))

// Between client and server: notes the type of each message of the client.
let types = ''
const proxy = net.createServer((client) => {
  const upstream = net.connect(target, '127.0.0.1')
  let rest = Buffer.alloc(0)
  let isStarted = false
  client.on('data', (chunk) => {
    upstream.write(chunk)
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = isStarted ? 1 : 0
      if (rest.length < head + 4) break
      const end = head + rest.readUInt32BE(head)
      if (rest.length < end) break
      if (isStarted) types += String.fromCharCode(rest[0])
      isStarted = true
      rest = rest.subarray(end)
    }
  })
  upstream.on('data', (chunk) => client.write(chunk))
  for (const socket of [client, upstream])
    socket.on('error', () => {}).on('close', () => (client.destroy(), upstream.destroy()))
})
proxy.listen(0, '127.0.0.1')
await once(proxy, 'listening')
const { port } = proxy.address()

async function print(name, run) {
  for (const execution of [1, 2, 3]) {
    types = ''
    await run()
    console.log(`${name}, execution ${execution}: ${types}`)
  }
}

const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' })
await client.connect()
await print('pg', () => client.query({ name: 'one', text: 'select $1::int as x', values: [1] }))
await client.end()

const sql = postgres({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres', max: 1, fetch_types: false })
// The first query opens the connection.
await sql`select 1`
await print('postgres.js', () => sql`select ${1}::int as x`)
await sql.end()
proxy.close()
await server.stop()
await database.close()
process.exit()
SCRIPT

npm install --silent --no-save @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1 postgres@3.4.9
seen=$(node check.mjs)
printf '%s\n' "$seen"
# P Parse, D Describe, B Bind, E Execute, S Sync, H Flush
expected='pg, execution 1: PBDES
pg, execution 2: BDES
pg, execution 3: BDES
postgres.js, execution 1: PDHBES
postgres.js, execution 2: BES
postgres.js, execution 3: BES'
[ "$seen" = "$expected" ] || {
  echo "expected: $expected"
  exit 1
}
