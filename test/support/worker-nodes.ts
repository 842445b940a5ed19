/**
 * Restarts two nodes with two workers each behind nginx while clients send requests. Each node first replaces its
 * workers, then is replaced itself.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fillTemplate } from '../../src/tools/generate/fill-template.ts'
import { StartedWorkers, workerApplication } from './fw-start.ts'
import { runKeepAliveClients, type KeepAliveClientResult } from './keep-alive-clients.ts'
import { accepts, freePort } from './ports.ts'

export interface WorkerRestartOptions {
  /** The minimum number of requests. The clients continue until each node has been replaced. */
  readonly requests: number
  readonly connections: number
  /** The maximum time in milliseconds between a response and the next request; default 0. */
  readonly pause?: number
}

export interface WorkerRestartResult extends KeepAliveClientResult {
  /** The number of times that SIGHUP has replaced the workers of a node. */
  readonly reloads: number
  /** The number of times that a node has ended and a new one has been started. */
  readonly replacements: number
}

const repository = resolve(import.meta.dirname, '../..')

/** A process of `fw start --workers 2` on one port. */
class Node {
  readonly port: number
  readonly #root: string
  #workers: StartedWorkers | undefined

  constructor(root: string, port: number) {
    this.#root = root
    this.port = port
  }

  async start(): Promise<void> {
    const args = ['--host', '127.0.0.1', '--port', String(this.port), '--workers', '2']
    const workers = new StartedWorkers(this.#root, { args })
    this.#workers = workers
    await waitFor(() => workers.count('listening on') === 2, workers)
  }

  async reload(): Promise<void> {
    const workers = this.#workers!
    const before = workers.count('replaced the workers')
    workers.child.kill('SIGHUP')
    await waitFor(() => workers.count('replaced the workers') > before, workers)
  }

  async replace(): Promise<void> {
    this.#workers!.child.kill('SIGTERM')
    await this.#workers!.exited
    await this.start()
  }

  kill(): void {
    this.#workers?.kill()
  }
}

async function waitFor(condition: () => boolean, workers: StartedWorkers): Promise<void> {
  while (!condition()) {
    if (workers.child.exitCode !== null)
      throw new Error(`the node has ended:\n${workers.lines.join('\n')}`)
    await new Promise((next) => setTimeout(next, 20))
  }
}

/**
 * Returns the nginx configuration that `fw g deploy` generates, for two nodes. If a node refuses a connection, nginx
 * tries it again at the next request.
 */
function nginxConfiguration(folder: string, port: number, nodes: readonly Node[]): string {
  const address = nodes.map((node) => `127.0.0.1:${node.port} max_fails=0`).join('; server ')
  const entry = `server {\n  listen 127.0.0.1:${port};`
  const values = { packageName: 'nodes', title: 'Nodes', address, entry, scheme: '$scheme' }
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  return `pid ${folder}/nginx.pid; error_log stderr crit; events { worker_connections 1024; }
http {
access_log off;
${paths.join('\n')}
${fillTemplate('deploy/upstream.conf', values)}
${fillTemplate('deploy/server.conf', values)}
}`
}

async function startNginx(folder: string, port: number, nodes: readonly Node[]) {
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, nginxConfiguration(folder, port, nodes))
  const args = ['-c', file, '-p', folder, '-e', 'stderr', '-g', 'daemon off; master_process off;']
  const nginx = spawn('nginx', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  await accepts(port, nginx)
  return nginx
}

/** Writes the application's files. Does not use vitest, so that `scripts/measure-workers.ts` can call it as well. */
function writeApplication(root: string): void {
  for (const [path, text] of Object.entries(workerApplication())) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
}

/**
 * Restarts the nodes while clients send POST requests, which nginx does not repeat on another node once it has sent
 * them.
 */
export async function restartWorkerNodes(
  options: WorkerRestartOptions,
): Promise<WorkerRestartResult> {
  const root = mkdtempSync(join(tmpdir(), 'fw-nodes-'))
  const nodes: Node[] = []
  let nginx: ChildProcess | undefined
  try {
    writeApplication(root)
    for (let at = 0; at < 2; at++) nodes.push(new Node(root, await freePort()))
    const port = await freePort()
    await Promise.all(nodes.map((node) => node.start()))
    nginx = await startNginx(root, port, nodes)
    return await restartUnderLoad(options, port, nodes)
  } finally {
    for (const node of nodes) node.kill()
    if (nginx?.exitCode === null) {
      const exited = once(nginx, 'exit')
      nginx.kill('SIGKILL')
      await exited
    }
    rmSync(root, { recursive: true, force: true })
  }
}

async function restartUnderLoad(
  { requests, connections, pause = 0 }: WorkerRestartOptions,
  port: number,
  nodes: readonly Node[],
): Promise<WorkerRestartResult> {
  const progress = { sent: 0, reloads: 0, replacements: 0 }
  const isComplete = (): boolean => progress.replacements >= nodes.length
  const clients = runKeepAliveClients({
    port,
    connections,
    pause,
    method: 'POST',
    isDone: (count) => (progress.sent = count) >= requests && isComplete(),
  })
  do {
    for (const node of nodes) {
      await node.reload()
      progress.reloads++
    }
    for (const node of nodes) {
      await node.replace()
      progress.replacements++
    }
  } while (progress.sent < requests)
  const { reloads, replacements } = progress
  return { ...(await clients), reloads, replacements }
}
