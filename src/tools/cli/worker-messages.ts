/** The messages between the primary process of `fw start --workers` and its workers. */

/** Marks a message of Fw, because the application may send messages on the same channel. */
export const wrapMessage = (message: object): object => ({ fwWorker: message })

/** The message of Fw; undefined for any other message. */
export function unwrapMessage(message: unknown): object | undefined {
  if (typeof message !== 'object' || message === null || !('fwWorker' in message)) return undefined
  const { fwWorker } = message
  return typeof fwWorker === 'object' && fwWorker !== null ? fwWorker : undefined
}

const signInterval = 1_000

/** Calls `stop` at the primary's request, and reports the worker's memory each second. */
export function reportToPrimary(stop: () => void): void {
  const send = (message: object): void => {
    if (process.connected) process.send!(wrapMessage(message), undefined, undefined, () => {})
  }
  process.on('message', (wrapped) => {
    const message = unwrapMessage(wrapped)
    if (message !== undefined && 'stop' in message) stop()
  })
  setInterval(() => send({ memory: process.memoryUsage.rss() }), signInterval).unref()
  send({ ready: true })
}
