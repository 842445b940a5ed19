/** Databases on a cluster of Citus, whose coordinator `FW_CITUS_URL` names. Without it, the suites of this folder are skipped. */
import { openDatabase, type Database } from '../../src/runtime/db.ts'
import {
  databaseName,
  runOnServer,
  type EmptyDatabase,
} from '../../src/runtime/db/test-server.fixture.ts'

// An empty variable counts as unset.
const coordinator = process.env['FW_CITUS_URL'] || undefined
if (coordinator === undefined)
  process.stdout.write(
    'test/citus is skipped: set FW_CITUS_URL to the address of a coordinator of Citus\n',
  )

export const hasCitus = coordinator !== undefined

interface Node {
  readonly host: string
  readonly port: number
  readonly isCoordinator: boolean
}

/** Opens a database with one connection, which `work` uses. */
export async function onDatabase<T>(url: string, work: (database: Database) => Promise<T>) {
  const database = await openDatabase({ kind: 'postgres', url, poolSize: 1, statementTimeout: 0 })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

export const run = async <Row = Record<string, unknown>>(
  database: Database,
  sql: string,
  parameters: readonly unknown[] = [],
): Promise<readonly Row[]> => (await database.query<Row>({ sql, parameters })).rows

const nodesSql = `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator" from pg_dist_node
  where noderole = 'primary' order by groupid`

function nodeUrl({ host, port }: Node, name?: string): string {
  const url = new URL(coordinator!)
  url.hostname = host
  url.port = String(port)
  if (name !== undefined) url.pathname = `/${name}`
  return url.href
}

const readNodes = (url: string): Promise<readonly Node[]> =>
  onDatabase(url, (database) => run<Node>(database, nodesSql))

/** Creates an empty database on all nodes of the cluster, with the extension and the same nodes. */
export async function newCitusDatabase(kind: string): Promise<EmptyDatabase> {
  const nodes = await readNodes(coordinator!)
  const name = databaseName(kind)
  for (const node of nodes) {
    await runOnServer(`create database ${name}`, nodeUrl(node))
    await runOnServer('create extension citus', nodeUrl(node, name))
  }
  const url = nodeUrl(
    nodes.find(({ isCoordinator }) => isCoordinator)!,
    name,
  )
  await onDatabase(url, async (database) => {
    for (const { host, port, isCoordinator } of nodes) {
      const call = isCoordinator ? 'citus_set_coordinator_host' : 'citus_add_node'
      await run(database, `select ${call}($1, $2)`, [host, port])
    }
  })
  const drop = async () => {
    // A fail-over changes the nodes.
    for (const node of await readNodes(url))
      await runOnServer(`drop database if exists ${name} with (force)`, nodeUrl(node))
  }
  return { name, url, drop }
}
