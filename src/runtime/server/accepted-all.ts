/** `acceptedAll`: waits until the kernel holds no connection that a server has not accepted. */
import type { Server } from 'node:net'

/** Milliseconds. In a longer turn of the event loop, further connections may have arrived after its poll. */
const shortTurn = 0.3

/**
 * Resolves after a short turn of the event loop without a new connection, or after `patience` milliseconds. Close the server
 * in the same turn: closing a socket resets connections that the kernel has accepted, and libuv accepts one in each poll.
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
