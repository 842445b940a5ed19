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
  wait: r.get('/wait', 'wait'),
  stream: r.get('/stream', 'stream'),
  counter: r.get('/counter', 'counter'),
  form: r.post('/form', 'form').as('form'),
  json: r.post('/json', 'form').as('json'),
  leak: r.get('/leak', 'leak'),
}))

const get = (path: string, cookie = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${cookie}\r\n`
const post = (path: string, type: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`

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

async function sendAll(socket: Socket, request: string, count: number): Promise<void> {
  for (let sent = 1; sent <= count; sent++) {
    await send(socket, request)
    if (sent % 50 === 0) collect()
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
async function measure(socket: Socket, request: string): Promise<number> {
  await sendAll(socket, request, warmUp)
  const before = oldSpace()
  await sendAll(socket, request, measured)
  return Math.round((oldSpace() - before) / measured)
}

const [, , url = 'memory'] = process.argv
const database = await openDatabase(
  url === 'memory' ? { kind: 'pglite', folder: url } : { kind: 'postgres', url, poolSize: 1 },
)
useDatabase(database)
await database.query({
  sql: `create table days as select 1 as id, date '2024-01-02' as day`,
  parameters: [],
})
const server = new FwServer({ root: import.meta.dirname, database })
server.mount(pages)
const { port } = await server.listen(0)
const socket = connect(port)
const cookie = /^set-cookie: ([^;]+)/im.exec(await send(socket, get('/counter')))![1]
const requests: Record<string, string> = {
  hello: get('/hello'),
  // The embedded database itself keeps memory for each statement, so these requests are measured only on PostgreSQL.
  ...(url === 'memory' ? {} : { row: get('/row'), 'waiting read': get('/wait') }),
  stream: get('/stream'),
  session: get('/counter', `Cookie: ${cookie}\r\n`),
  'invalid form': post('/form', 'application/x-www-form-urlencoded', 'name='),
  'json body': post('/json', 'application/json', '{"name":"Ann"}'),
  leak: get('/leak'),
}
const growth: Record<string, number> = {}
for (const [name, request] of Object.entries(requests))
  growth[name] = await measure(socket, request)
socket.destroy()
await server.close()
await database.close()
console.log(JSON.stringify(growth))
