/**
 * A program with a primary process and a worker, called as `shared-sockets.fixture.ts release|keep`. The worker closes its
 * server while the primary is blocked, and prints whether the port still accepts a connection.
 */
import cluster from 'node:cluster'
import { connect, createServer, type AddressInfo } from 'node:net'
import { collectSharedSockets, releaseSharedSockets } from './shared-sockets.ts'

function runPrimary(): void {
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const worker = cluster.fork()
  worker.on('message', (sockets: readonly string[]) => {
    if (process.argv[2] === 'release') releaseSharedSockets(worker, sockets)
    worker.send('close')
    // Closing takes one turn of the event loop. Then block the primary, so that it reads no message until it is killed.
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  })
}

function runWorker(): void {
  const sockets = collectSharedSockets()
  const server = createServer().listen(0, '127.0.0.1', () => process.send!([...sockets]))
  const tell = (result: string): void => {
    console.log(result)
    process.kill(process.ppid, 'SIGKILL')
  }
  process.on('message', () => {
    const { port } = server.address() as AddressInfo
    server.close(() => {
      const socket = connect(port, '127.0.0.1', () => tell('accepts'))
      socket.on('error', ({ code }: NodeJS.ErrnoException) => tell(code!))
    })
  })
}

if (cluster.isPrimary) runPrimary()
else runWorker()
