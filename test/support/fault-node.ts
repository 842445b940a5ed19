/**
 * A server process for tests that limit its resources. The argument is the configuration as JSON. The process prints
 * its port, then its log.
 */
import { Configuration } from '../../src/runtime/config.ts'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { FileUploadFeature } from '../../src/runtime/feature.ts'
import { FwServer } from '../../src/runtime/app.ts'
import { handleSignals } from '../../src/runtime/server.ts'

const [configured = '{}'] = process.argv.slice(2)

class Pages extends mix(FwController, FileUploadFeature) {
  index(): string {
    return 'fine'
  }
  upload(): string {
    return String(this.fileParams.get('file')?.size)
  }
}
const pages = routes(Pages, (r) => ({
  index: r.get('/', 'index'),
  upload: r.post('/upload', 'upload'),
}))
const configuration = Configuration.from(JSON.parse(configured) as Record<string, unknown>)
const app = await new FwServer({ configuration, database: false }).mount(pages).start()
handleSignals(app, { logger: app.application.logger })
const { port } = await app.listen(0)
process.stdout.write(`${port}\n`)
