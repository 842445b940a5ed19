/**
 * Serves three pages in production, with an access log: `/cpu` computes for 5 ms, `/delayed` does so after 20 ms, as after the
 * response of another service, `/database` has a transaction of two statements, for which a pool of four connections is the
 * limit. Arguments: the application's folder and the URL of the database. Sends its port, and its CPU time on request.
 */
import { pbkdf2Sync } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import {
  FwConfig,
  FwEnv,
  FwController,
  FwServer,
  mix,
  model,
  ParamType,
  routes,
  TxPerRequestFilter,
} from 'fwjs'
import { currentDatabase } from 'fwjs/db'

const rounds = 32_000
const [, , root = '', url = ''] = process.argv

const Item = model('items', { id: ParamType.Long, name: ParamType.String })

const compute = (): string => pbkdf2Sync('page', 'salt', rounds, 32, 'sha256').toString('hex')

class Computing extends FwController {
  show() {
    return compute()
  }

  async showDelayed() {
    await setTimeout(20)
    return compute()
  }
}

class Reading extends mix(FwController, TxPerRequestFilter) {
  async show() {
    const item = await Item.findById(1)
    await currentDatabase().query({ sql: 'select pg_sleep(0.01)', parameters: [] })
    return item!.name
  }
}

const configuration = FwConfig.from(
  {
    secretKeyBase: 'x'.repeat(64),
    server: { hosts: ['localhost'] },
    db: { default: { url, poolSize: 4 } },
  },
  new FwEnv('production'),
)
const server = new FwServer({ root, configuration })
  .mount(
    routes(Computing, (r) => ({
      show: r.get('/cpu', 'show'),
      showDelayed: r.get('/delayed', 'showDelayed'),
    })),
  )
  .mount(routes(Reading, (r) => ({ show: r.get('/database', 'show') })))
const { port } = await server.listen(0)
process.send!(port)
process.on('message', () => process.send!(process.cpuUsage()))
process.on('disconnect', () => process.exit())
