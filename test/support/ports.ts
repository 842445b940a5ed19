/** Finds free ports for the servers that a test starts, and waits until a server listens. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/**
 * Resolves when the process listens on the port.
 * @throws Error if the process has ended
 */
export async function accepts(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} has ended`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
