/** `acceptedAll`: waits until the kernel holds no connection that a server has not accepted. */
import type { Server } from 'node:net'

/**
 * Resolves after one poll of the event loop without a new connection, or after `patience` milliseconds. Closing a socket
 * resets connections that the kernel has accepted, and libuv accepts one in each poll.
 */
export function acceptedAll(server: Server, patience: number): Promise<void> {
  return new Promise((resolve) => {
    const end = performance.now() + patience
    let accepted = true
    const onConnection = (): void => void (accepted = true)
    const look = (): void => {
      if (accepted && performance.now() < end) {
        accepted = false
        setImmediate(look)
        return
      }
      server.off('connection', onConnection)
      resolve()
    }
    server.on('connection', onConnection)
    setImmediate(look)
  })
}
