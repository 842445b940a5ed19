#!/bin/sh
# Kubb: does a generated `fetch` client send JSON as JSON, and reject if the server refuses it?
#
# One would guess: yes. The document has `application/json` as the only type of the body, and the function returns the type of
# the 201 alone, so that a 415 can only be an exception.
#
# What happens in version 4: the request has a JSON text and the type `text/plain`, which is that of `fetch` for a string. The
# promise of the function resolves with the body of the 415, typed as the created record.
#
# Usage: findings/kubb-fetch-without-type.sh (needs npm). Exits with 1 if it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --silent --no-save @kubb/cli@4.39.3 @kubb/core@4.39.3 @kubb/plugin-oas@4.39.3 @kubb/plugin-ts@4.39.3 \
  @kubb/plugin-client@4.39.3 prettier@3.7.4 rolldown@1.0.0-rc.3

cat > openapi.json <<'JSON'
{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/notes":{"post":{"operationId":"createNote",
"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","properties":{"text":{"type":"string"}}}}}},
"responses":{"201":{"description":"Made.","content":{"application/json":{"schema":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}}}},
"415":{"description":"No.","content":{"application/json":{"schema":{"type":"object"}}}}}}}}}
JSON
cat > kubb.config.js <<'SCRIPT'
import { defineConfig } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'
export default defineConfig({ root: '.', input: { path: './openapi.json' }, output: { path: './client' },
  plugins: [pluginOas(), pluginTs(), pluginClient({ client: 'fetch' })] })
SCRIPT
node_modules/.bin/kubb generate > kubb.log 2>&1 || { cat kubb.log; exit 1; }
cat > check.ts <<'SCRIPT'
import { createServer } from 'node:http'
import { createNote } from './client/clients/createNote.ts'
let type: string | undefined
const server = createServer((request, response) => {
  type = request.headers['content-type']
  const isJson = type === 'application/json'
  response.writeHead(isJson ? 201 : 415, { 'content-type': 'application/json' })
  response.end(isJson ? '{"id":1}' : '{"error":"not JSON"}')
})
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
const baseURL = `http://127.0.0.1:${(server.address() as { port: number }).port}`
const result = await createNote({ text: 'a' }, { baseURL }).then(
  (note) => `resolves with ${JSON.stringify(note)}`,
  (error: unknown) => `rejects with ${String(error)}`,
)
console.log(`${type}; ${result}`)
server.close()
SCRIPT
node_modules/.bin/rolldown check.ts --platform node --file check.mjs > rolldown.log 2>&1 || { cat rolldown.log; exit 1; }
seen=$(node check.mjs)
echo "Kubb 4.39.3: $seen"
[ "$seen" = 'text/plain;charset=UTF-8; resolves with {"error":"not JSON"}' ]
