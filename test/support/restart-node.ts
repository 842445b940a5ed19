/** A node for the tests of restarts. Arguments: the port, and the server settings as JSON. Prints its port when it listens. */
import { Configuration } from '../../src/runtime/config.ts'
import { routes, FwController } from '../../src/runtime/controller.ts'
import { FwServer, handleSignals } from '../../src/runtime/server.ts'

const [port = '0', settings = '{}'] = process.argv.slice(2)

class Pages extends FwController {
  index(): string {
    return 'x'.repeat(200)
  }
  async later(): Promise<string> {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return 'later'
  }
}
const pages = routes(Pages, (r) => ({
  index: r.get('/', 'index'),
  later: r.get('/later', 'later'),
}))

const configuration = Configuration.from({ server: JSON.parse(settings) as object })
const app = await new FwServer({ configuration, database: false }).mount(pages).start()
handleSignals(app, { logger: app.application.logger })
const address = await app.listen(Number(port))
process.stdout.write(`${address.port}\n`)
