/**
 * Serves pages that read and write one table, in production. Arguments: the application's folder, the URL of the primary, and those
 * of the replicas. Sends its port.
 */
import {
  FwConfig,
  FwController,
  FwEnv,
  FwServer,
  mix,
  ParamType,
  routes,
  transaction,
  TxPerRequestFilter,
} from 'fwjs'
import { currentDatabase } from 'fwjs/db'

const [, , root = '', url = '', ...replicas] = process.argv

class Notes extends mix(FwController, TxPerRequestFilter) {
  async write() {
    const id = this.params.getAs('id', ParamType.Int)
    await currentDatabase().query({
      sql: 'insert into notes values ($1, 1) on conflict (id) do update set version = notes.version + 1',
      parameters: [id],
    })
    return 'written'
  }
}

class Reports extends mix(FwController, transaction({ readOnly: true })) {
  /** About a millisecond of the database's processor. */
  async sum() {
    const { rows } = await currentDatabase().query<{ sum: string }>({
      sql: 'select sum(n * n)::text as sum from generate_series(1, 5000) n',
      parameters: [],
    })
    return rows[0]!.sum
  }

  async version() {
    const id = this.params.getAs('id', ParamType.Int)
    const { rows } = await currentDatabase().query<{ version: number }>({
      sql: 'select version from notes where id = $1',
      parameters: [id],
    })
    return String(rows[0]?.version ?? 0)
  }
}

const configuration = FwConfig.from(
  {
    secretKeyBase: 'x'.repeat(64),
    server: { hosts: ['localhost'] },
    accessLog: { enabled: false },
    // The benchmark stops the replay on its replicas, and Fw must read from them all the same.
    db: { default: { url, replicas, replicaMaxLag: 0, primaryAfterWrite: '10m', poolSize: 8 } },
  },
  new FwEnv('production'),
)
const server = new FwServer({ root, configuration })
  .mount(routes(Notes, (r) => ({ write: r.post('/notes/:id', 'write') })))
  .mount(
    routes(Reports, (r) => ({
      sum: r.get('/sum', 'sum'),
      version: r.get('/notes/:id', 'version'),
    })),
  )
const { port } = await server.listen(0)
process.send!(port)
process.on('disconnect', () => process.exit())
