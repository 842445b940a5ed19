/** Tests a proxy between client and application that delays, splits and cuts requests and responses. */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { mix, routes } from '../../src/runtime/controller.ts'
import { currentDatabase } from '../../src/runtime/db.ts'
import { hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'
import { FileUploadFeature } from '../../src/runtime/feature.ts'
import { ChaosProxy, type Chaos, type Ending } from '../support/chaos-proxy.ts'
import { emptyDatabase, eventually, serveData, TxFirst } from '../support/data-app.ts'

/** The number of clients. Set `FW_TEST_CLIENTS=200` to test more. */
const clients = Number(process.env['FW_TEST_CLIENTS'] ?? 20)
const large = Buffer.alloc(2_000_000, 'x')
const chunk = 20_000
/** The content of an upload, so large that the server writes it to disk. */
const file = 'x'.repeat(80_000)
const boundary = 'B'
const multipart = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${file}\r\n--${boundary}--\r\n`

const run = (sql: string) => currentDatabase().query<{ c: number }>({ sql, parameters: [] })

const controller = () =>
  routes(class extends mix(TxFirst, FileUploadFeature) {}, (r) => ({
    read: r.get('/read', async () => `${(await run('select 7 as c')).rows[0]!.c}`),
    write: r.post('/write', async (c) => {
      await run('insert into notes values (1)')
      c.session.set('written', true)
      return c.params.get('text')!.slice(0, 4)
    }),
    upload: r.post('/upload', async (c) => {
      await run('insert into notes values (1)')
      return String(c.fileParams.get('file')!.size)
    }),
    large: r.get('/large', () => large),
    stream: r.get('/stream', (c) =>
      c.response.stream(async function* () {
        for (let sent = 0; sent < large.length; sent += chunk) {
          await Promise.resolve()
          yield large.subarray(sent, sent + chunk)
        }
      }),
    ),
  }))

const message = (start: string, type = '', body = ''): string =>
  `${start} HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n` +
  (body === '' ? '\r\n' : `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)

interface Kind {
  readonly text: string
  /** The last characters of a complete response. */
  readonly end: string
  /** The size of the body in bytes: a complete response is longer than this; default 0. */
  readonly bytes?: number
  /** The number of rows that a complete request writes. */
  readonly rows: number
  /** The number of bytes of the response that the proxy forwards before it cuts the connection. */
  readonly cutAt: number
}

const kinds: Readonly<Record<string, Kind>> = {
  page: { text: message('GET /read'), end: '7', rows: 0, cutAt: 20 },
  form: {
    text: message('POST /write', 'application/x-www-form-urlencoded', `text=${'y'.repeat(500)}`),
    end: 'yyyy',
    rows: 1,
    cutAt: 20,
  },
  upload: {
    text: message('POST /upload', `multipart/form-data; boundary=${boundary}`, multipart),
    end: '80000',
    rows: 1,
    cutAt: 20,
  },
  download: {
    text: message('GET /large'),
    end: 'xxxx',
    bytes: large.length,
    rows: 0,
    cutAt: 100_000,
  },
  stream: {
    text: message('GET /stream'),
    end: '0\r\n\r\n',
    bytes: large.length,
    rows: 0,
    cutAt: 100_000,
  },
}

/** Sends a request, and resolves to all that the client receives until its connection ends. */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(text))
    socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk))
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
  })
}

const isComplete = (received: string, { end, bytes = 0 }: Kind): boolean =>
  received.startsWith('HTTP/1.1 200') && received.endsWith(end) && received.length > bytes

describe.skipIf(!(await hasTestServer()))('between client and application', () => {
  let own: Awaited<ReturnType<typeof emptyDatabase>>
  beforeAll(async () => {
    own = await emptyDatabase(['create table notes (n int)'])
  })
  afterAll(() => own.drop())

  const countRows = async () => {
    const sql = 'select count(*) as c from notes'
    return (await own.direct.query<{ c: number }>({ sql, parameters: [] })).rows[0]!.c
  }

  const start = async (request: Chaos, response: Chaos, server: Record<string, unknown> = {}) => {
    await own.direct.query({ sql: 'truncate notes', parameters: [] })
    const app = await serveData([controller()], own.url, { poolSize: 4, server })
    const proxy = new ChaosProxy(app.port)
    proxy.request = request
    proxy.response = response
    const port = await proxy.listen()
    onTestFinished(() => proxy.close())
    const errors = () => app.lines.filter(({ level }) => level === 'error')
    return { app, proxy, port, errors }
  }

  describe.each(Object.entries(kinds))('of the kind %s, a request', (name, kind) => {
    test.each<[string, Chaos]>([
      ['in single bytes', { bytewise: true }],
      ['with delays', { delay: 10 }],
    ])('arrives %s', async (_title, chaos) => {
      const isLong = name === 'download' || name === 'stream'
      const response = isLong && chaos.bytewise === true ? {} : chaos
      const { port } = await start(chaos, response)
      expect(isComplete(await exchange(port, kind.text), kind)).toBe(true)
      expect(await countRows()).toBe(kind.rows)
    })

    test.each<Ending>(['close', 'reset', 'half-close'])(
      'whose request ends halfway by a %s writes nothing and logs no error',
      async (ending) => {
        const after = Math.floor(kind.text.length / 2)
        const { port, errors } = await start({ after, ending }, {})
        const received = await Promise.all(
          Array.from({ length: clients }, () => exchange(port, kind.text)),
        )
        for (const one of received) expect(isComplete(one, kind)).toBe(false)
        expect(await countRows()).toBe(0)
        expect(errors()).toEqual([])
      },
    )

    test.each<Ending>(['close', 'reset', 'half-close'])(
      'whose response ends halfway by a %s has written its rows and logs no error',
      async (ending) => {
        const { app, port, errors } = await start({}, { after: kind.cutAt, ending })
        const received = await Promise.all(
          Array.from({ length: clients }, () => exchange(port, kind.text)),
        )
        for (const one of received) expect(isComplete(one, kind)).toBe(false)
        await app.idle()
        expect(await countRows()).toBe(clients * kind.rows)
        expect(errors()).toEqual([])
      },
    )
  })

  test('requests that a black hole swallows end at the time limits of the server', async () => {
    const limits = { headersTimeout: '1s', requestTimeout: '2s', keepAliveTimeout: '1s' }
    const { proxy, port } = await start({ after: 90, ending: 'black hole' }, {}, limits)
    let ended = 0
    proxy.onServerEnd = () => (ended += 1)
    const clients = Object.values(kinds).map(({ text }) => exchange(port, text))
    await eventually(() => ended).toBe(clients.length)
    await proxy.close()
    await Promise.all(clients)
    expect(await countRows()).toBe(0)
  })

  test('a client that disconnects while its session is read logs no error', async () => {
    const { app, port, errors } = await start({}, {})
    const text = kinds['form']!.text
    const cookie = /set-cookie: ([^;]+)/i.exec(await exchange(port, text))![1]!
    await own.direct.transaction(async () => {
      await own.direct.query({ sql: 'lock table fw_sessions, servlet_sessions', parameters: [] })
      const client = connect(app.port, '127.0.0.1')
      client.write(text.replace('\r\n', `\r\nCookie: ${cookie}\r\n`))
      const waiting = `select count(*) as c from pg_locks where not granted`
      const count = async () =>
        (await own.direct.query<{ c: number }>({ sql: waiting, parameters: [] })).rows[0]!.c
      await eventually(count).toBe(1)
      client.destroy()
      await eventually(count).toBe(0)
    })
    await app.idle()
    expect(errors()).toEqual([])
    expect(await countRows()).toBe(1)
  })
})
