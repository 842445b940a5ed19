/** Serves one page with the telemetry that the first argument names; answers each message with its CPU time. */
import { FwConfig, FwController, FwServer, routes } from 'fwjs'

const settings: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  off: { accessLog: { enabled: false } },
  without: { accessLog: { enabled: false } },
  metrics: { accessLog: { enabled: false }, metrics: { enabled: true, port: 0 } },
  log: { accessLog: { enabled: true } },
  both: { accessLog: { enabled: true }, metrics: { enabled: true, port: 0 } },
}

class Pages extends FwController {
  show() {
    return { id: this.params.get('id'), name: 'Ann' }
  }
}
const pages = routes(Pages, (r) => ({ show: r.get('/members/:id', 'show') }))
const root = process.argv[3]!
const configuration = FwConfig.from(settings[process.argv[2]!]!)
const { port } = await new FwServer({ root, configuration }).mount(pages).listen(0)
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send!({ micros: user + system })
})
process.send!({ port })
