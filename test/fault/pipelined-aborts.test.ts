/** Tests clients that disconnect after pipelined requests: their connections, files, uploads and metrics are released. */
import { connect } from 'node:net'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { requestChannel } from '../../src/runtime/action.ts'
import { mix, routes } from '../../src/runtime/controller.ts'
import { currentDatabase } from '../../src/runtime/db.ts'
import { FileUploadFeature } from '../../src/runtime/feature.ts'
import { hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'
import { emptyDatabase, eventually, mixingOrders, serveData } from '../support/data-app.ts'
import { temporaryFolder } from '../support/serve.ts'

const run = (sql: string) => currentDatabase().query({ sql, parameters: [] })
const pipelined = 5
const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`

/** Returns a request that uploads a file to `/upload`. The file is large enough for the disk. */
function upload(): string {
  const head =
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: text/plain\r\n\r\n'
  const body = `${head}${'a'.repeat(1_000_000)}\r\n--x--\r\n`
  const type = 'Content-Type: multipart/form-data; boundary=x'
  return `POST /upload HTTP/1.1\r\nHost: localhost\r\n${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

describe.skipIf(!(await hasTestServer()))('a client that leaves after pipelined requests', () => {
  let own: Awaited<ReturnType<typeof emptyDatabase>>
  beforeAll(async () => {
    own = await emptyDatabase(['create table notes (n int)'])
  })
  afterAll(() => own.drop())

  async function serveActions() {
    const folder = temporaryFolder()
    const file = join(folder, 'large.bin')
    writeFileSync(file, Buffer.alloc(20_000_000))
    const [, controller] = mixingOrders[0]!
    let waiting = 0
    const act = routes(class extends mix(controller, FileUploadFeature) {}, (r) => ({
      first: r.get('/first', async (c) => {
        await new Promise((resolve) => c.ctx.signal.addEventListener('abort', resolve))
        return 'for nobody'
      }),
      wait: r.get('/wait', async () => {
        await run('insert into notes values (1)')
        waiting++
        await run('select pg_sleep(600)')
        return 'for nobody'
      }),
      upload: r.post('/upload', async (c) => {
        waiting++
        await new Promise((resolve) => c.ctx.signal.addEventListener('abort', resolve))
        return 'for nobody'
      }),
      file: r.get('/file', (c) => {
        waiting++
        return c.response.sendFile(file)
      }),
    }))
    const app = await serveData([act], own.url, { poolSize: pipelined, statementTimeout: 0 })
    const ends: string[] = []
    const stop = requestChannel.subscribe({ end: ({ route = '' }) => void ends.push(route) })
    onTestFinished(stop)
    const stored = () => readdirSync(app.uploads, { recursive: true, withFileTypes: true })
    /** Sends a request, then several others. Disconnects when these wait, with `files` uploaded files on the disk. */
    const leaveAfter = async (requests: string, files = 0): Promise<void> => {
      const socket = connect(app.port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(get('/first') + requests)
      await eventually(() => waiting).toBe(pipelined)
      await eventually(() => stored().filter((entry) => entry.isFile()).length).toBe(files)
      socket.destroy()
    }
    return { ends, leaveAfter, stored, idle: app.idle }
  }

  test('their statements are cancelled, and their transactions release all connections', async () => {
    const { ends, leaveAfter, idle } = await serveActions()
    await leaveAfter(get('/wait').repeat(pipelined))
    await idle()
    await eventually(() => ends.toSorted()).toEqual(['/first', ...Array(pipelined).fill('/wait')])
  })

  test('their files are closed, and the end of each request is published', async () => {
    const { ends, leaveAfter } = await serveActions()
    await leaveAfter(get('/file').repeat(pipelined))
    await eventually(() => ends.toSorted()).toEqual([
      '/file',
      '/file',
      '/file',
      '/file',
      '/file',
      '/first',
    ])
  })

  test('their uploaded files are deleted, also one that has not arrived as a whole', async () => {
    const { ends, leaveAfter, stored } = await serveActions()
    await leaveAfter(upload().repeat(pipelined) + upload().slice(0, -100_000), pipelined + 1)
    await eventually(() => stored().filter((entry) => entry.isFile())).toEqual([])
    await eventually(() => ends.toSorted()).toEqual([
      '/first',
      ...Array(pipelined + 1).fill('/upload'),
    ])
  })
})
