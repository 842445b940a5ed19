/**
 * Serves controllers with the filters of a generated application. Prints how many bytes of each request remain in
 * memory after minor garbage collections: `node --expose-gc old-space.fixture.ts [postgres://…]`.
 */
import { connect, type Socket } from 'node:net'
import { getHeapSpaceStatistics } from 'node:v8'
import {
  ErrorPageFilter,
  FwController,
  FwServer,
  JsonParamsFeature,
  mix,
  model,
  paramKey,
  permitValues,
  ParamType,
  required,
  routes,
  transaction,
  TxPerRequestFilter,
  type FwContext,
} from 'fwjs'
import { openDatabase, outsideTransaction, useDatabase } from 'fwjs/db'

const warmUp = 400
const measured = 800

const Day = model('days', { id: ParamType.Long, day: ParamType.LocalDate })
const Mark = model('marks', { id: ParamType.Long, name: ParamType.String })
const kept: FwContext[] = []

abstract class ApplicationController extends mix(
  FwController,
  ErrorPageFilter,
  JsonParamsFeature,
  TxPerRequestFilter,
) {}

class PagesController extends mix(
  ApplicationController,
  transaction({ only: ['wait'], enabled: false }),
) {
  hello() {
    return 'hello'
  }

  async row() {
    return (await Day.findById(1))!
  }

  /** Writes in the transaction of the request, and shows a notice on the next page. */
  async write() {
    await Mark.create(permitValues({ name: 'Ann' }, 'name'))
    this.flash.set('notice', 'written')
    this.redirect('/hello')
  }

  /** Its read waits until a transaction gives the only connection back. */
  async wait() {
    let day: Promise<unknown> | undefined
    await database.transaction(async () => {
      await Day.findById(1)
      day = outsideTransaction(() => Day.findById(1))
    })
    return (await day)!
  }

  stream() {
    return this.response.stream(async function* () {
      yield 'stream'
    })
  }

  counter() {
    const count = Number(this.session.get('count') ?? 0) + 1
    this.session.set('count', count)
    return `${count}`
  }

  form() {
    return String(this.validation(this.params, paramKey('name').is(required)).validate())
  }

  /** Keeps each request in memory, to show that the measurement detects it. */
  leak() {
    kept.push(this.ctx)
    return 'leak'
  }
}

const pages = routes(PagesController, (r) => ({
  hello: r.get('/hello', 'hello'),
  row: r.get('/row', 'row'),
  write: r.post('/write', 'write').as('write'),
  wait: r.get('/wait', 'wait'),
  stream: r.get('/stream', 'stream'),
  counter: r.get('/counter', 'counter'),
  form: r.post('/form', 'form').as('form'),
  json: r.post('/json', 'form').as('json'),
  leak: r.get('/leak', 'leak'),
}))

const get = (path: string, cookie = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${cookie}\r\n`
const post = (path: string, type: string, body: string, cookie = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${cookie}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** Sends the request and resolves to its response. */
function send(socket: Socket, request: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const receive = (chunk: Buffer): void => {
      text += chunk.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      const length = /^content-length: (\d+)/im.exec(text)?.[1]
      const isWhole =
        length === undefined
          ? text.endsWith('\r\n0\r\n\r\n')
          : text.length >= head + 4 + Number(length)
      if (head < 0 || !isWhole) return
      socket.off('data', receive)
      resolve(text)
    }
    socket.on('data', receive)
    socket.write(request)
  })
}

const collect = (): void => void globalThis.gc!({ type: 'minor' })

/** Sends the requests on all sockets at once. */
async function sendAll(sockets: readonly Socket[], request: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += sockets.length) {
    await Promise.all(sockets.map((socket) => send(socket, request)))
    if (sent % 48 === 0) collect()
  }
}

function oldSpace(): number {
  // The first collection moves reachable objects to the intermediate generation, the second one to the old space.
  collect()
  collect()
  const spaces = getHeapSpaceStatistics()
  return spaces
    .filter(({ space_name: name }) => name === 'old_space' || name === 'new_space')
    .reduce((sum, { space_used_size: size }) => sum + size, 0)
}

/** Returns the number of bytes that remain in memory for each request. */
async function measure(sockets: readonly Socket[], request: string): Promise<number> {
  await sendAll(sockets, request, warmUp)
  const before = oldSpace()
  await sendAll(sockets, request, measured)
  return Math.round((oldSpace() - before) / measured)
}

const [, , url = 'memory'] = process.argv
const database = await openDatabase(
  url === 'memory' ? { kind: 'pglite', folder: url } : { kind: 'postgres', url, poolSize: 1 },
)
useDatabase(database)
for (const sql of [
  `create table days as select 1 as id, date '2024-01-02' as day`,
  'create table marks (id bigint generated always as identity primary key, name text not null)',
])
  await database.query({ sql, parameters: [] })
const server = new FwServer({ root: import.meta.dirname, database })
server.mount(pages)
const { port } = await server.listen(0)
const sockets = Array.from({ length: 8 }, () => connect(port))
const socket = sockets[0]!
const cookie = /^set-cookie: ([^;]+)/im.exec(await send(socket, get('/counter')))![1]
const ofSession = `Cookie: ${cookie}\r\n`
const urlencoded = 'application/x-www-form-urlencoded'
const requests: Record<string, string> = {
  hello: get('/hello'),
  // The embedded database itself keeps memory for each statement, so these requests are measured only on PostgreSQL.
  ...(url === 'memory'
    ? {}
    : {
        row: get('/row'),
        write: post('/write', urlencoded, 'name=Ann', ofSession),
        'waiting read': get('/wait'),
      }),
  stream: get('/stream'),
  session: get('/counter', ofSession),
  'invalid form': post('/form', urlencoded, 'name='),
  'json body': post('/json', 'application/json', '{"name":"Ann"}'),
  leak: get('/leak'),
}
const growth: Record<string, number> = {}
for (const [name, request] of Object.entries(requests))
  growth[name] = await measure(sockets, request)
for (const each of sockets) each.destroy()
await server.close()
await database.close()
console.log(JSON.stringify(growth))
