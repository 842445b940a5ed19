/** Finds the folder, the life cycle, the databases and the port of the application for a command. */
import { existsSync } from 'node:fs'
import { registerHooks, type ModuleHooks, type ResolveFnOutput } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  FwLifeCycle,
  openApplicationDatabase,
  startApplication,
  type Application,
} from '../../runtime/app.ts'
import { FwError, silentLogger, type Logger } from '../../runtime/base.ts'
import type { Configuration } from '../../runtime/config.ts'
import type { Database } from '../../runtime/db.ts'

/** The options that most commands have. */
export interface CommandOptions {
  readonly app: string
  readonly json?: boolean
}

/** Returns the absolute path of an application's folder. @throws FwError `cli.no-application` */
export function applicationRoot(folder: string): string {
  const root = resolve(folder)
  if (existsSync(bootstrapFile(root))) return root
  throw new FwError(
    'cli.no-application',
    `${root} is not the folder of an application (it has no src/main/bootstrap.ts). Run the command in the application's folder, or name that folder: --app <folder>.`,
  )
}

const bootstrapFile = (root: string): string => join(root, 'src/main/bootstrap.ts')

/** Loads the code of the application without starting it. */
export async function importBootstrap(root: string): Promise<{ Bootstrap?: new () => unknown }> {
  const hooks = resolveOncePerFolder()
  try {
    return (await import(pathToFileURL(bootstrapFile(root)).href)) as object
  } finally {
    hooks.deregister()
  }
}

/**
 * Resolves what the modules of one folder import from the same specifier only once, until the hooks are removed. Node resolves it
 * for each module, which is a fifth of the time in which the models and controllers of 500 tables load.
 */
function resolveOncePerFolder(): ModuleHooks {
  const resolved = new Map<string, ResolveFnOutput>()
  return registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL, conditions } = context
      const isModule = parentURL?.startsWith('file:') === true && !parentURL.includes('?')
      if (!isModule || conditions.includes('require')) return nextResolve(specifier, context)
      const key = `${parentURL.slice(0, parentURL.lastIndexOf('/') + 1)} ${specifier}`
      const known = resolved.get(key)
      if (known !== undefined) return { ...known, shortCircuit: true }
      const found = nextResolve(specifier, context)
      resolved.set(key, found)
      return found
    },
  })
}

/** Creates an instance of the class `Bootstrap` in `src/main/bootstrap.ts`. @throws FwError `cli.no-application` */
export async function loadLifeCycle(root: string): Promise<FwLifeCycle> {
  const file = bootstrapFile(root)
  const { Bootstrap } = await importBootstrap(root)
  const lifeCycle = Bootstrap === undefined ? undefined : new Bootstrap()
  if (lifeCycle instanceof FwLifeCycle) return lifeCycle
  throw new FwError(
    'cli.no-application',
    `${file} does not export a class Bootstrap that extends FwLifeCycle.`,
  )
}

/** Starts the application to inspect it. The database opens only if the life cycle queries it. */
export const inspectApplication = async (root: string): Promise<Application> =>
  startApplication(await loadLifeCycle(root), {
    root,
    logger: silentLogger,
    database: 'on-demand',
    jobs: false,
  })

interface DatabaseSource {
  readonly root: string
  readonly configuration: Configuration
  /** @default a logger that prints nothing */
  readonly logger?: Logger
}

/** Opens a database of the application, runs `work` on it, and closes it. @throws FwError like `openApplicationDatabase` */
export async function withApplicationDatabase<T>(
  source: DatabaseSource,
  work: (database: Database) => T | Promise<T>,
  name = 'default',
): Promise<T> {
  const database = await openApplicationDatabase({ logger: silentLogger, ...source }, false, name)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

const highestPort = 65_535

/**
 * Returns the port: the option, else `FW_PORT`, else `PORT`, else 8080. Port 0 lets the system choose. Empty values are
 * ignored.
 * @throws FwError `cli.port-invalid`
 */
export function listenPort(option: string | undefined): number {
  const { FW_PORT, PORT } = process.env
  const given = Object.entries({ '--port': option, FW_PORT, PORT }).find(([, value]) => value)
  const [source, text] = given ?? ['', '8080']
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= highestPort) return port
  throw new FwError(
    'cli.port-invalid',
    `${source} is ${JSON.stringify(text)}; it must be a number from 0 to ${highestPort}, such as 8080.`,
  )
}

/** The first file descriptor that systemd passes, see `sd_listen_fds(3)`. */
const firstSocket = 3

/**
 * Returns the TCP socket that systemd passed to the process `pid`; undefined if systemd passed none.
 * @throws FwError `server.listen-failed` if systemd passed several sockets
 */
export function passedSocket(
  { LISTEN_FDS: count, LISTEN_PID: receiver }: Readonly<Record<string, string | undefined>>,
  pid: number,
): { readonly fd: number } | undefined {
  // Compare the process id, because child processes inherit the variables but not the socket.
  if (count === undefined || Number(receiver) !== pid) return undefined
  if (count === '1') return { fd: firstSocket }
  throw new FwError(
    'server.listen-failed',
    `LISTEN_FDS is ${count}: Fw listens on one socket. Leave one ListenStream in the socket unit.`,
  )
}
