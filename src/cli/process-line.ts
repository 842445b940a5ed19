/** The line between `fw run` and the process of its application, which may send messages of its own on it. */

/** A message of Fw's, as it travels. */
export const enclosed = (message: object): object => ({ fw: message })

/** What Fw sent; `undefined` for any other message, such as the 'ready' that process managers wait for. */
export function unclosed(message: unknown): object | undefined {
  if (typeof message !== 'object' || message === null || !('fw' in message)) return undefined
  const { fw } = message
  return typeof fw === 'object' && fw !== null ? fw : undefined
}
