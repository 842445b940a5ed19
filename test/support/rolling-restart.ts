/** Restarts three server processes behind nginx or haproxy one after another, while clients send requests. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runKeepAliveClients, type KeepAliveClientResult } from './keep-alive-clients.ts'
import { freePort } from './ports.ts'

export type ProxyName = 'nginx' | 'haproxy'

export const hasProxy = (name: ProxyName): boolean =>
  spawnSync(name, ['-v'], { stdio: 'ignore' }).status === 0

export interface RollingRestartOptions {
  readonly proxy: ProxyName
  /** The minimum number of requests. The clients continue until each node has been restarted. */
  readonly requests: number
  readonly connections: number
  /** The maximum time in milliseconds between a response and the next request; default 0. */
  readonly pause?: number
  /**
   * The time in milliseconds for which a node still serves requests after SIGTERM. In this time haproxy, which probes
   * every 100 ms, takes the node out.
   */
  readonly drainDelay: number
}

export interface RollingRestartResult extends KeepAliveClientResult {
  readonly restarts: number
}

const nodeCount = 3
const program = join(import.meta.dirname, 'restart-node.ts')

class Node {
  readonly port: number
  readonly #configuration: string
  #child: ChildProcess | undefined

  constructor(port: number, configuration: string) {
    this.port = port
    this.#configuration = configuration
  }

  async start(): Promise<void> {
    const args = ['--conditions=fwjs-source', program, String(this.port), this.#configuration]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#child = child
    await once(child.stdout, 'data')
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }

  kill(): void {
    this.#child?.kill('SIGKILL')
  }
}

/**
 * The proxy configurations. They do not repeat a request on another node, so that each failure of a node reaches the
 * client. `down` is the port of a node that gets no requests.
 */
const configurations: Readonly<
  Record<ProxyName, (port: number, nodes: readonly number[], down: number | undefined) => string>
> = {
  nginx: (port, nodes, down) => `
    daemon off; pid nginx.pid; worker_processes 1; error_log stderr crit;
    events { worker_connections 1024; }
    http {
      access_log off;
      upstream nodes {
        ${nodes.map((node) => `server 127.0.0.1:${node} max_fails=0${node === down ? ' down' : ''};`).join(' ')}
        keepalive 32;
      }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://nodes;
          proxy_next_upstream off;
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          proxy_set_header Host localhost;
        }
      }
    }\n`,
  haproxy: (port, nodes) => `
global
  maxconn 1000
defaults
  mode http
  retries 0
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend clients
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk GET /ready
  http-request set-header Host localhost
  default-server check inter 100ms fall 1 rise 1
${nodes.map((node, at) => `  server node${at} 127.0.0.1:${node}`).join('\n')}\n`,
}

/** A process of nginx or haproxy, with its configuration in a temporary folder. */
class Proxy {
  readonly port: number
  readonly #name: ProxyName
  readonly #nodes: readonly number[]
  readonly #folder = mkdtempSync(join(tmpdir(), 'fw-proxy-'))
  readonly #file = join(this.#folder, 'proxy.conf')
  #child: ChildProcess | undefined

  constructor(name: ProxyName, port: number, nodes: readonly number[]) {
    this.#name = name
    this.port = port
    this.#nodes = nodes
  }

  async start(): Promise<void> {
    this.#configure(undefined)
    const nginx = ['-p', this.#folder, '-c', this.#file]
    const args = this.#name === 'nginx' ? nginx : ['-q', '-f', this.#file]
    this.#child = spawn(this.#name, args, { stdio: 'ignore' })
    await this.#answers()
  }

  /**
   * Stops sending requests to a node; `undefined` uses all nodes again. nginx reloads its configuration; haproxy needs
   * no call, as it polls /ready.
   */
  async takeOut(node: number | undefined): Promise<void> {
    if (this.#name === 'haproxy') return
    this.#configure(node)
    const old = this.#workers()
    this.#child!.kill('SIGHUP')
    // The old nginx worker ends when it has completed its last request.
    while (this.#workers().some((worker) => old.includes(worker))) await nextTry()
  }

  async stop(): Promise<void> {
    if (this.#child?.exitCode === null) {
      const exited = once(this.#child, 'exit')
      // On SIGTERM, nginx and haproxy end immediately, with their workers.
      this.#child.kill('SIGTERM')
      await exited
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #configure(down: number | undefined): void {
    writeFileSync(this.#file, configurations[this.#name](this.port, this.#nodes, down))
  }

  #workers(): number[] {
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(this.#child!.pid)])
    return String(stdout).trim().split(/\s+/).filter(Boolean).map(Number)
  }

  /** Waits until all nodes have responded with 200 through the proxy, which distributes requests in turn. */
  async #answers(): Promise<void> {
    for (let successes = 0; successes < 2 * nodeCount;) {
      const status = await fetch(`http://127.0.0.1:${this.port}/`).then(
        (response) => response.status,
        () => 0,
      )
      successes = status === 200 ? successes + 1 : 0
      if (successes === 0) await nextTry()
    }
  }
}

const nextTry = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

export async function rollingRestart(
  options: RollingRestartOptions,
): Promise<RollingRestartResult> {
  const configuration = JSON.stringify({
    server: { drainDelay: `${options.drainDelay}ms`, hosts: '*' },
  })
  const nodes: Node[] = []
  for (let at = 0; at < nodeCount; at++) nodes.push(new Node(await freePort(), configuration))
  const ports = nodes.map(({ port }) => port)
  const proxy = new Proxy(options.proxy, await freePort(), ports)
  try {
    await Promise.all(nodes.map((node) => node.start()))
    await proxy.start()
    return await restartUnderLoad(options, nodes, proxy)
  } finally {
    await proxy.stop()
    for (const node of nodes) node.kill()
  }
}

async function restartUnderLoad(
  { proxy: name, requests, connections, pause = 0 }: RollingRestartOptions,
  nodes: readonly Node[],
  proxy: Proxy,
): Promise<RollingRestartResult> {
  let restarts = 0
  const progress = { sent: 0 }
  // At a reload, nginx closes idle connections of clients. So clients of nginx open a new connection for each request.
  const clients = runKeepAliveClients({
    port: proxy.port,
    connections,
    pause,
    closes: name === 'nginx',
    isDone: (count) => (progress.sent = count) >= requests && restarts >= nodeCount,
  })
  do {
    const node = nodes[restarts % nodeCount]!
    await proxy.takeOut(node.port)
    await node.stop()
    await node.start()
    await proxy.takeOut(undefined)
    restarts += 1
  } while (progress.sent < requests || restarts < nodeCount)
  return { ...(await clients), restarts }
}
