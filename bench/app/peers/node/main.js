/** Hand-written `node:http`, with the security headers of Fw: the yardstick of `hello`. */
import { createServer } from 'node:http'
import { announce } from '../listen.js'

const hello = 'Hello, World!'
const headers = [
  'Content-Type',
  'text/html; charset=utf-8',
  'Vary',
  'Accept',
  'Content-Security-Policy',
  "default-src 'self'; script-src 'self'; style-src 'self'; object-src 'none'; base-uri 'none'; " +
    "form-action 'self'; frame-ancestors 'self'",
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Cross-Origin-Resource-Policy',
  'same-origin',
  'X-Frame-Options',
  'SAMEORIGIN',
  'X-Permitted-Cross-Domain-Policies',
  'none',
  'Permissions-Policy',
  'camera=(), microphone=(), geolocation=()',
  'Content-Length',
  String(hello.length),
]

const server = createServer((request, response) => {
  if (request.url === '/hello') response.writeHead(200, headers).end(hello)
  else response.writeHead(404).end()
})
server.listen(0, '127.0.0.1', () => announce(server.address().port))
