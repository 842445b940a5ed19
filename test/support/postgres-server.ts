/** A PostgreSQL server for the tests of one file, which can stop, pause and restart it. */
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { canListChildren, listChildren } from './child-processes.ts'
import { freePort } from './ports.ts'

const folders = ['18', '17', '16', '15', '14'].map(
  (version) => `/usr/lib/postgresql/${version}/bin`,
)
const binaries = folders.find((folder) => existsSync(join(folder, 'initdb')))
const isRoot = userInfo().uid === 0
/** The path of the program runuser. The PATH of this process may not contain its folder. */
const runuser = ['/usr/sbin/runuser', '/sbin/runuser'].find((file) => existsSync(file)) ?? 'runuser'

/**
 * False if PostgreSQL is not installed, or the kernel does not list child processes. If this process runs as root, the
 * user postgres runs PostgreSQL, which does not start as root.
 */
export const canStartPostgres = binaries !== undefined && canListChildren

function commandLine(command: string, args: readonly string[]): [string, readonly string[]] {
  const program = join(binaries!, command)
  return isRoot ? [runuser, ['-u', 'postgres', '--', program, ...args]] : [program, args]
}

const run = (command: string, args: readonly string[]): void =>
  runAs([join(binaries!, command), ...args])

/** Runs a program as the user of the server. */
function runAs(words: readonly [program: string, ...string[]]): void {
  const [program, ...args] = isRoot ? ([runuser, '-u', 'postgres', '--', ...words] as const) : words
  // With a pipe, the error message contains the text of stderr.
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: tmpdir() })
}

/** Runs a program of PostgreSQL without blocking this process. */
const runMeanwhile = (command: string, args: readonly string[]) =>
  promisify(execFile)(...commandLine(command, args), { cwd: tmpdir() })

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fw-postgres-'))
  chmodSync(folder, 0o777)
  return folder
}

export class PostgresServer {
  readonly #folder: string
  readonly #port: number

  /** The folder of the server's socket. */
  get folder(): string {
    return this.#folder
  }

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.#port = port
  }

  static async start(): Promise<PostgresServer> {
    const folder = newFolder()
    const data = join(folder, 'data')
    run('initdb', [
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
    ])
    const server = new PostgresServer(folder, await freePort())
    server.start()
    return server
  }

  /** Starts another server that replicates this one (a standby). */
  async startStandby(): Promise<PostgresServer> {
    const folder = newFolder()
    const data = join(folder, 'data')
    run('pg_basebackup', ['-d', this.url, '-D', data, '-R', '-c', 'fast', '--no-sync'])
    const standby = new PostgresServer(folder, await freePort())
    standby.start()
    return standby
  }

  /** Stops this server as a crash would, then makes the standby the primary. Does not block this process. */
  async failOverTo(standby: PostgresServer): Promise<void> {
    await runMeanwhile('pg_ctl', [
      '-D',
      join(this.#folder, 'data'),
      '-m',
      'immediate',
      '-w',
      'stop',
    ])
    await runMeanwhile('pg_ctl', ['-D', join(standby.#folder, 'data'), '-w', 'promote'])
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/postgres`
  }

  /** Creates a certificate for `localhost`, restarts the server with TLS, and returns the certificate. */
  restartWithTls(): string {
    const data = join(this.#folder, 'data')
    const [certificate, key] = [join(data, 'server.crt'), join(data, 'server.key')]
    const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    const files = ['-keyout', key, '-out', certificate]
    runAs(['openssl', ...request.split(' '), ...subject, ...files])
    this.stop()
    this.start('-c ssl=on')
    return readFileSync(certificate, 'utf8')
  }

  start(settings = ''): void {
    const options = `-c listen_addresses=127.0.0.1 -c fsync=off -p ${this.#port} -k ${this.#folder} ${settings}`
    this.#control('-l', join(this.#folder, 'log'), '-w', '-t', '30', '-o', options, 'start')
  }

  /** Stops the server without closing its connections, as a crash would. */
  stop(): void {
    this.#control('-m', 'immediate', '-w', 'stop')
  }

  /** Suspends the server's processes until `resume`. */
  pause(): void {
    this.#signal('STOP')
  }

  resume(): void {
    this.#signal('CONT')
  }

  /** Stops the server if it still runs, and deletes its files. */
  remove(): void {
    if (existsSync(join(this.#folder, 'data/postmaster.pid'))) this.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #control(...args: readonly string[]): void {
    run('pg_ctl', ['-D', join(this.#folder, 'data'), ...args])
  }

  #signal(name: 'STOP' | 'CONT'): void {
    const file = readFileSync(join(this.#folder, 'data/postmaster.pid'), 'utf8')
    const postmaster = Number(file.split('\n')[0])
    for (const pid of [postmaster, ...listChildren(postmaster)]) process.kill(pid, `SIG${name}`)
  }
}
