/** Runs haproxy between an application and PostgreSQL servers. The test chooses which server is the primary. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accepts, freePort } from './ports.ts'

const binary = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/opt/homebrew/bin/haproxy'].find(
  (file) => existsSync(file),
)

export const canStartHaproxy = binary !== undefined

/**
 * Starts an HTTP server for haproxy's health checks, as the manager of a PostgreSQL cluster has one. It responds with
 * 200 for the primary, otherwise with 503.
 */
async function startHealth(isPrimary: () => boolean): Promise<Server> {
  const server = createServer((_request, response) => {
    response.writeHead(isPrimary() ? 200 : 503).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

export class Haproxy {
  readonly #folder = mkdtempSync(join(tmpdir(), 'fw-haproxy-'))
  readonly #health: Server[] = []
  #process: ChildProcess | undefined
  #port = 0
  /** The index of the server to which haproxy forwards new connections. Open connections stay on their server. */
  primary = 0

  static async start(urls: readonly string[]): Promise<Haproxy> {
    const haproxy = new Haproxy()
    await haproxy.#start(urls)
    return haproxy
  }

  /** Returns the database URL `url` with the host and port of haproxy. */
  route(url: string): string {
    const routed = new URL(url)
    routed.host = `127.0.0.1:${this.#port}`
    return routed.href
  }

  async stop(): Promise<void> {
    const haproxy = this.#process
    if (haproxy?.exitCode === null && haproxy.signalCode === null) {
      haproxy.kill('SIGKILL')
      await once(haproxy, 'exit')
    }
    for (const server of this.#health) {
      server.closeAllConnections()
      server.close()
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #start(urls: readonly string[]): Promise<void> {
    const servers: string[] = []
    for (const [at, url] of urls.entries()) {
      const health = await startHealth(() => this.primary === at)
      this.#health.push(health)
      const { hostname, port } = new URL(url)
      servers.push(
        `  server node${at} ${hostname}:${port} check port ${portOf(health)} inter 50ms fall 1 rise 1`,
      )
    }
    this.#port = await freePort()
    const file = join(this.#folder, 'haproxy.cfg')
    writeFileSync(file, configuration(this.#port, servers))
    this.#process = spawn(binary!, ['-db', '-f', file], { stdio: 'ignore' })
    await accepts(this.#port, this.#process)
  }
}

const configuration = (port: number, servers: readonly string[]): string => `
defaults
  mode tcp
  timeout connect 1s
  timeout client 10m
  timeout server 10m
  timeout check 1s
listen postgres
  bind 127.0.0.1:${port}
  option httpchk GET /primary
${servers.join('\n')}
`
