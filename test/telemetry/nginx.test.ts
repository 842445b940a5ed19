/** A trace from nginx to a statement: nginx sends `traceparent` and `X-Request-Id`, PostgreSQL receives both in a comment. */
import { spawn, spawnSync } from 'node:child_process'
import { createServer, type AddressInfo } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Configuration, FwEnv } from '../../src/runtime/config.ts'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { currentDatabase } from '../../src/runtime/db.ts'
import { emptyDatabaseOn, hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'
import { FwServer } from '../../src/runtime/app.ts'
import { temporaryFolder } from '../support/serve.ts'

const hasNginx = spawnSync('nginx', ['-v']).status === 0
if (!hasNginx) console.warn('nginx is not installed: its tests are skipped.')

class Texts extends FwController {
  async sent() {
    const sql = 'select query from pg_stat_activity where pid = pg_backend_pid()'
    const { rows } = await currentDatabase().query<{ query: string }>({ sql, parameters: [] })
    return { query: rows[0]!.query, id: this.ctx.requestId }
  }
}
const texts = routes(Texts, (r) => ({ sent: r.get('/sent/:id', 'sent') }))

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const configuration = (folder: string, port: number, upstream: number) => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr error;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${upstream};
      proxy_set_header Host $host;
      proxy_set_header X-Request-Id $request_id;
      proxy_set_header traceparent "00-$request_id-00f067aa0ba902b7-01";
    }
  }
}
`

/** Starts nginx, and resolves once it answers. */
async function startNginx(upstream: number): Promise<string> {
  const folder = temporaryFolder()
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, configuration(folder, port, upstream))
  const nginx = spawn('nginx', ['-c', file, '-p', folder, '-e', 'stderr'], { stdio: 'pipe' })
  onTestFinished(async () => {
    const ended = new Promise((resolve) => nginx.once('exit', resolve))
    if (nginx.exitCode === null) nginx.kill('SIGKILL')
    else return
    await ended
  })
  let output = ''
  nginx.stderr.on('data', (text) => (output += String(text)))
  const url = `http://127.0.0.1:${port}`
  await expect
    .poll(async () => {
      if (nginx.exitCode !== null) throw new Error(`nginx has ended: ${output}`)
      return fetch(`${url}/up`).then(
        ({ status }) => status,
        () => 0,
      )
    })
    .toBe(200)
  return url
}

test.skipIf(!hasNginx || !(await hasTestServer()))(
  'traceparent and X-Request-Id of nginx reach the statement, the log and the client',
  async () => {
    const database = await emptyDatabaseOn('nginx')
    onTestFinished(() => database.drop())
    const lines: { readonly message: string; readonly fields: object }[] = []
    const log = (fields: object, message: string) => void lines.push({ fields, message })
    const server = new FwServer({
      root: temporaryFolder({ 'package.json': '{ "name": "shop" }' }),
      logger: { debug: log, info: log, warn: log, error: log },
      configuration: Configuration.from(
        {
          accessLog: { enabled: true },
          db: { default: { url: database.url, sqlComments: true } },
          server: { hosts: ['127.0.0.1'], trustedProxies: '127.0.0.1' },
        },
        new FwEnv('test'),
      ),
    })
    const previous = process.env['DATABASE_URL']
    delete process.env['DATABASE_URL']
    onTestFinished(() => {
      if (previous !== undefined) process.env['DATABASE_URL'] = previous
    })
    const { port } = await server.mount(texts).listen(0)
    onTestFinished(() => server.close(0))
    const url = await startNginx(port)
    const response = await fetch(`${url}/sent/5`)
    const { query, id } = (await response.json()) as { query: string; id: string }
    expect(id).toMatch(/^[\da-f]{32}$/)
    expect(response.headers.get('x-request-id')).toBe(id)
    expect(query).toContain(`traceparent='00-${id}-00f067aa0ba902b7-01'`)
    expect(query).toContain("route='%2Fsent%2F%3Aid'")
    expect(lines).toMatchObject([
      { message: 'request', fields: { requestId: id, traceId: id, route: '/sent/:id' } },
    ])
  },
)
