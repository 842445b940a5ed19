/** The application that a command works on: its folder, its life cycle, its port. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FwLifeCycle } from '../../runtime/app.ts'
import { FwError } from '../../runtime/base.ts'

/** The absolute path of an application's folder. @throws FwError `cli.no-application` */
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
  return (await import(pathToFileURL(bootstrapFile(root)).href)) as object
}

/** An instance of the class `Bootstrap` of `src/main/bootstrap.ts`. @throws FwError `cli.no-application` */
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

const highestPort = 65_535

/**
 * The option, else `FW_PORT`, else `PORT`, else 8080; 0 lets the system choose. Empty values count as absent.
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

/** The first descriptor of `sd_listen_fds(3)`. */
const firstSocket = 3

/**
 * The TCP socket that systemd passed to the process with this id; undefined without one.
 * @throws FwError `server.listen-failed` if systemd passed several
 */
export function passedSocket(
  { LISTEN_FDS: count, LISTEN_PID: receiver }: Readonly<Record<string, string | undefined>>,
  pid: number,
): { readonly fd: number } | undefined {
  // Child processes inherit the variables, but not the socket.
  if (count === undefined || Number(receiver) !== pid) return undefined
  if (count === '1') return { fd: firstSocket }
  throw new FwError(
    'server.listen-failed',
    `LISTEN_FDS is ${count}: Fw listens on one socket. Leave one ListenStream in the socket unit.`,
  )
}
