/** A hand-written `node:http` server: a map of fixed paths, a map of prefixes before an id, prebuilt headers. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import { readBody } from './read-body.ts'
import { formFields, greeting, others } from './scenarios.ts'
import { listen } from './subject.ts'

type Action = (incoming: IncomingMessage, outgoing: ServerResponse) => void
type IdAction = (outgoing: ServerResponse, id: string, query: string) => void

const json = 'application/json; charset=utf-8'

export const securityHeaders = [
  'Content-Security-Policy',
  "default-src 'self'; script-src 'self'; style-src 'self'; object-src 'none'; base-uri 'none'; " +
    "form-action 'self'; frame-ancestors 'self'",
  'Cache-Control',
  'private, no-cache',
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
]

const typeAt = 1
const headersWith = (...further: readonly string[]): string[] => [
  'Content-Type',
  '',
  ...further,
  ...securityHeaders,
  'Content-Length',
  '',
  'Connection',
  'keep-alive',
]
// Node reads a list synchronously, so all responses can share it.
const plainHeaders = headersWith()
/** A controller's page may exist in several formats. */
const pageHeaders = headersWith('Vary', 'Accept')

function send(outgoing: ServerResponse, body: string, type: string): void {
  const headers = type.startsWith('text/html') ? pageHeaders : plainHeaders
  headers[typeAt] = type
  headers[headers.length - 3] = String(Buffer.byteLength(body))
  outgoing.writeHead(200, headers)
  outgoing.end(body)
}

/** Returns the decoded value of a name, or ''. */
function queryValue(query: string, name: string): string {
  for (let start = 0; start < query.length;) {
    let end = query.indexOf('&', start)
    if (end === -1) end = query.length
    const equals = start + name.length
    if (query.startsWith(name, start) && query.charCodeAt(equals) === 0x3d) {
      const value = query.slice(equals + 1, end)
      return /[%+]/.test(value) ? decodeURIComponent(value.replaceAll('+', ' ')) : value
    }
    start = end + 1
  }
  return ''
}

/** Listens, with this type for texts. `deferred` reads all arrived data before it writes the first response. */
export function baseline(textType: string, deferred = false): Promise<number> {
  const gets = new Map<string, Action>()
  const posts = new Map<string, Action>()
  const ids = new Map<string, IdAction>()
  const text =
    (body: string): Action =>
    (_incoming, outgoing) =>
      send(outgoing, body, textType)

  gets.set('/plaintext', text(greeting))
  gets.set('/json', (_incoming, outgoing) =>
    send(outgoing, JSON.stringify({ message: greeting }), json),
  )
  posts.set('/json', (incoming, outgoing) =>
    readBody(incoming, (body) => send(outgoing, JSON.stringify(JSON.parse(body)), json)),
  )
  gets.set('/users', text('users'))
  ids.set('/users/', (outgoing, id, query) =>
    send(outgoing, `${id} ${queryValue(query, 'q')}`, textType),
  )
  posts.set('/form', (incoming, outgoing) =>
    readBody(incoming, (body) => {
      const fields = parse(body)
      send(outgoing, formFields.map((name) => fields[name]).join(), textType)
    }),
  )
  for (const path of others) {
    gets.set(path, text(path))
    ids.set(`${path}/`, (outgoing, id) => send(outgoing, id, textType))
    posts.set(path, text(path))
  }

  const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const url = incoming.url!
    const mark = url.indexOf('?')
    const path = mark === -1 ? url : url.slice(0, mark)
    const action = (incoming.method === 'POST' ? posts : gets).get(path)
    if (action !== undefined) return action(incoming, outgoing)
    const slash = path.lastIndexOf('/') + 1
    const idAction = incoming.method === 'GET' ? ids.get(path.slice(0, slash)) : undefined
    if (idAction === undefined) return void outgoing.writeHead(404).end()
    const id = path.slice(slash)
    idAction(
      outgoing,
      id.includes('%') ? decodeURIComponent(id) : id,
      mark === -1 ? '' : url.slice(mark + 1),
    )
  }
  const listener: typeof answer = deferred
    ? (incoming, outgoing) => void setImmediate(answer, incoming, outgoing)
    : answer
  return listen(createServer({ optimizeEmptyRequests: true }, listener))
}
