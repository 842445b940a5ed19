/** Runs pgbouncer in transaction mode, with the configuration file of `templates/deploy`. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { accepts, freePort } from './ports.ts'

const binary = [
  '/usr/sbin/pgbouncer',
  '/usr/local/bin/pgbouncer',
  '/opt/homebrew/bin/pgbouncer',
].find((file) => existsSync(file))

export const canStartPgbouncer = binary !== undefined

const template = new URL('../../templates/deploy/pgbouncer.ini', import.meta.url)

/** Returns the configuration file of `templates/deploy` with the given values in place of its own. */
function configuration(values: Readonly<Record<string, string>>): string {
  let text = readFileSync(template, 'utf8')
  for (const [name, value] of Object.entries(values)) {
    const line = new RegExp(String.raw`^${name.replaceAll('*', String.raw`\*`)} = .*$`, 'm')
    if (!line.test(text)) throw new Error(`pgbouncer.ini has no line ${name}`)
    text = text.replace(line, () => `${name} = ${value}`)
  }
  return text
}

export interface Pgbouncer {
  /** The URL of the database through pgbouncer. */
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts pgbouncer in front of the PostgreSQL server of `url`. `serverConnections` should be less than the number of
 * client connections, so that clients share them.
 */
export async function startPgbouncer(url: string, serverConnections: number): Promise<Pgbouncer> {
  const { hostname, port: serverPort, username } = new URL(url)
  const routed = new URL(url)
  routed.password ||= 'fw'
  const port = await freePort()
  routed.host = `127.0.0.1:${port}`
  const folder = mkdtempSync(join(tmpdir(), 'fw-pgbouncer-'))
  const file = join(folder, 'pgbouncer.ini')
  const users = join(folder, 'userlist.txt')
  writeFileSync(users, `"${username}" "${routed.password}"\n`)
  const values = {
    '*': `host=${hostname} port=${serverPort || '5432'}`,
    listen_port: String(port),
    auth_file: users,
    default_pool_size: String(serverConnections),
  }
  writeFileSync(file, configuration(values))
  for (const path of [folder, file, users]) chmodSync(path, 0o755)
  const child = run(file)
  await accepts(port, child)
  return {
    url: routed.href,
    stop: async () => {
      child.stdin!.end()
      if (child.exitCode === null) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Runs pgbouncer until its standard input ends, so that it also ends if this process is killed. As root, runs it as the
 * user postgres, because pgbouncer does not run as root.
 */
function run(file: string): ChildProcess {
  const script = '"$@" & read -r line; kill -9 $!; wait'
  const user = userInfo().uid === 0 ? ['runuser', '-u', 'postgres', '--'] : []
  const command = [...user, 'sh', '-c', script, 'sh', binary!, '-q', file]
  const [program = '', ...args] = command
  return spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], cwd: tmpdir() })
}
