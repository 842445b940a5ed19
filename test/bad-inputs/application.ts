/** Starts an application on a real socket that records the requests that reach its actions. */
import { onTestFinished } from 'vitest'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import {
  FileUploadFeature,
  JsonParamsFeature,
  XmlParamsFeature,
} from '../../src/runtime/feature.ts'
import { RawClient } from '../../src/runtime/server/raw-client.fixture.ts'
import { paramKey, dateFormat, numeric } from '../../src/runtime/validation.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { serve } from '../support/serve.ts'

/** The requests that have reached an action of the application, in order. */
const seen: string[] = []

class Echo extends mix(FwController, JsonParamsFeature, XmlParamsFeature) {
  static {
    this.before((c) => seen.push(`${c.request.method} ${c.request.path.text}`))
  }
  get echo() {
    return { params: Object.fromEntries(this.params.toMap()), path: this.request.path.text }
  }
}

class Uploads extends mix(FwController, FileUploadFeature) {
  upload() {
    const file = this.fileParams.get('file')
    return { fields: Object.fromEntries(this.params.toMap()), file: file?.name ?? null }
  }
}

class Admin extends FwController {
  static {
    this.before((c) => c.halt(401))
  }
}

const echo = routes(Echo, (r) => ({
  home: r.get('/', (c) => c.echo),
  index: r.get('/echo', (c) => c.echo),
  create: r.post('/echo', (c) => c.echo),
  fresh: r.get('/posts/new', () => 'new'),
  show: r.get('/posts/:id', (c) => c.params.get('id')),
  update: r.post('/posts/:id', (c) => c.params.get('id')),
  json: r.post('/json', async (c) => JSON.stringify(await c.request.json())),
  header: r.get('/header/:name', (c) => ({
    value: c.request.header(c.params.get('name')!) ?? null,
  })),
  where: r.get('/where', (c) => ({ url: c.ctx.fullUrl('/x'), client: c.request.remoteAddress })),
  download: r.get('/download/*.*', (c) => ({ splat: c.multiParams.get('splat') })),
  dates: r.get('/dates', (c) => ({
    valid: c.validation(c.params, paramKey('birthday').is(dateFormat)).validate(),
  })),
  numbers: r.get('/numbers', (c) => ({
    valid: c.validation(c.params, paramKey('countryId').is(numeric)).validate(),
    long: c.params.getAs('countryId', ParamType.Long) ?? null,
  })),
  wrongLength: r.get('/wrong-length', (c) => {
    c.response.headers.set('Content-Length', '3')
    return 'hello'
  }),
  hop: r.get('/hop', (c) => {
    c.response.headers.set('Connection', 'x-secret')
    c.response.headers.set('X-Secret', '1')
    return 'hop'
  }),
  reason: r.get('/reason', (c) => c.halt({ status: 400, reason: c.params.get('text')! })),
  language: r.get('/language', (c) => c.i18n.locale),
  session: r.get('/session', (c) => {
    c.session.set('count', (c.session.getAs('count', ParamType.Int) ?? 0) + 1)
    return String(c.session.get('count'))
  }),
  cookies: r.get('/cookies', (c) => ({
    names: c.cookies.names(),
    sid: c.cookies.get('sid') ?? null,
  })),
  setCookie: r.get('/set-cookie', (c) => {
    c.cookies.set(
      c.params.get('name') ?? 'a',
      c.params.get('value') ?? 'b',
      JSON.parse(c.params.get('options') ?? '{}'),
    )
    return 'set'
  }),
  redirect: r.get('/redirect', (c) => c.redirect(c.params.get('to')!)),
  halt: r.get('/halt', (c) =>
    c.halt({ status: JSON.parse(c.params.get('status')!) as number, body: 'x' }),
  ),
  view: r.get('/view', (c) => c.render(c.params.get('page') as never)),
}))
const plain = routes(class Plain extends FwController {}, (r) => ({
  raw: r.post('/raw', async (c) => {
    seen.push('begun')
    const body = await c.request.body()
    seen.push('raw')
    return body
  }),
  ignoring: r.post('/ignoring', () => 'read nothing'),
}))
const uploads = routes(Uploads, (r) => ({ upload: r.post('/upload', 'upload') }))
const admin = routes(Admin, (r) => ({
  users: r.get('/admin/users', () => 'users'),
  secret: r.get('/admin/secret.html', () => 'secret'),
}))
const api = routes(class Api extends FwController {}, (r) => ({
  secret: r.get('/admin/secret', () => 'secret'),
}))

/**
 * Starts the application, which closes at the end of the test. `seen` lists the requests that have reached an action.
 */
export async function startRecordingApplication(files: Readonly<Record<string, string>> = {}) {
  const { app, lines } = await serve([echo, plain, uploads, admin, [api, '/api/v1']], {
    files: {
      'src/main/webapp/assets/a.css': 'a{}',
      'src/main/webapp/.env': 'SECRET=1',
      'src/main/webapp/assets/.hidden': 'x',
      ...files,
    },
  })
  const { port } = await app.listen(0)
  seen.length = 0
  const open = async () => {
    const client = await RawClient.open(port)
    onTestFinished(() => void client.socket.destroy())
    return client
  }
  return {
    app,
    lines,
    seen,
    open,
    /**
     * Sends a request and resolves to all that the server sends until it closes the connection. The request must make
     * the server close it.
     */
    async exchange(request: string | Uint8Array): Promise<string> {
      const client = await open()
      client.write(typeof request === 'string' ? Buffer.from(request, 'latin1') : request)
      return client.closed()
    },
  }
}

/** Returns a request with `Connection: close`, after which the server closes the connection. */
export function request(line: string, headers: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', body].join(
    '\r\n',
  )
}

/** Returns a POST request with a body of the given type, and the body's Content-Length. */
export function sending(path: string, type: string | undefined, body: string): string {
  const typed = type === undefined ? [] : [`Content-Type: ${type}`]
  return request(
    `POST ${path}`,
    [...typed, `Content-Length: ${Buffer.byteLength(body, 'latin1')}`],
    body,
  )
}
