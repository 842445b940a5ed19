/** `acceptedAll`: waits until a server has accepted all connections that wait in the kernel. */
import type { Server } from 'node:net'

/** Milliseconds. During a longer turn of the event loop, further connections may have arrived after its poll. */
const shortTurn = 0.3

/**
 * Resolves after a short turn of the event loop without a new connection, or after `patience` milliseconds. Close the server
 * in the same turn, because closing the listening socket resets connections that only the kernel has accepted. Several
 * turns may be needed, because libuv accepts one connection in each poll.
 */
export function acceptedAll(server: Server, patience: number): Promise<void> {
  return new Promise((resolve) => {
    let last = performance.now()
    const end = last + patience
    let accepted = true
    const onConnection = (): void => void (accepted = true)
    const look = (): void => {
      const now = performance.now()
      if ((accepted || now - last > shortTurn) && now < end) {
        accepted = false
        last = now
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
