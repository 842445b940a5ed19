/** Tests clients that disconnect after pipelined requests: their connections, files and metrics are released. */
import { connect } from 'node:net'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { requestChannel } from '../../src/runtime/action.ts'
import { routes } from '../../src/runtime/controller.ts'
import { currentDatabase } from '../../src/runtime/db.ts'
import { hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'
import { emptyDatabase, eventually, mixingOrders, serveData } from '../support/data-app.ts'
import { temporaryFolder } from '../support/serve.ts'

const run = (sql: string) => currentDatabase().query({ sql, parameters: [] })
const pipelined = 5

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
    const act = routes(class extends controller {}, (r) => ({
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
      file: r.get('/file', (c) => {
        waiting++
        return c.response.sendFile(file)
      }),
    }))
    const app = await serveData([act], own.url, { poolSize: pipelined, statementTimeout: 0 })
    const ends: string[] = []
    const stop = requestChannel.subscribe({ end: ({ route = '' }) => void ends.push(route) })
    onTestFinished(stop)
    const leaveAfter = async (path: string): Promise<void> => {
      const socket = connect(app.port, '127.0.0.1')
      await once(socket, 'connect')
      const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`
      socket.write(get('/first') + get(path).repeat(pipelined))
      await eventually(() => waiting).toBe(pipelined)
      socket.destroy()
    }
    return { ends, leaveAfter, idle: app.idle }
  }

  test('their statements are cancelled, and their transactions release all connections', async () => {
    const { ends, leaveAfter, idle } = await serveActions()
    await leaveAfter('/wait')
    await idle()
    await eventually(() => ends.toSorted()).toEqual(['/first', ...Array(pipelined).fill('/wait')])
  })

  test('their files are closed, and the end of each request is published', async () => {
    const { ends, leaveAfter } = await serveActions()
    await leaveAfter('/file')
    await eventually(() => ends.toSorted()).toEqual([
      '/file',
      '/file',
      '/file',
      '/file',
      '/file',
      '/first',
    ])
  })
})
