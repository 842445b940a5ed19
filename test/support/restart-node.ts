/**
 * A server process for tests that restart it. The arguments are the port and the configuration as JSON. The process
 * prints its port when it listens.
 */
import { once } from 'node:events'
import { Configuration } from '../../src/runtime/config.ts'
import { routes, FwController } from '../../src/runtime/controller.ts'
import { FwServer } from '../../src/runtime/app.ts'
import { handleSignals } from '../../src/runtime/server.ts'

const [port = '0', configured = '{}'] = process.argv.slice(2)

class Pages extends FwController {
  index(): string {
    return 'x'.repeat(200)
  }
  async later(): Promise<string> {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return 'later'
  }
  /** Responds when another request has caused an unhandled rejection. */
  async hold(): Promise<string> {
    process.stdout.write('holding\n')
    await once(process, 'unhandledRejection')
    return 'held'
  }
  async reject(): Promise<string> {
    await Promise.resolve()
    void Promise.reject(new Error('lost'))
    return 'rejected'
  }
}
const pages = routes(Pages, (r) => ({
  index: r.get('/', 'index'),
  later: r.get('/later', 'later'),
  hold: r.get('/hold', 'hold'),
  reject: r.get('/reject', 'reject'),
}))

const configuration = Configuration.from(JSON.parse(configured) as Record<string, unknown>)
const app = await new FwServer({ configuration, database: false }).mount(pages).start()
handleSignals(app, { logger: app.application.logger })
const address = await app.listen(Number(port))
process.stdout.write(`${address.port}\n`)
