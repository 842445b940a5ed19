/** Handles SIGTERM and SIGINT: drains, cleans up, exits; a second signal exits at once. */
import type { Logger } from '../base.ts'

/** A server that can be drained, or closed at once. */
export interface Closable {
  close(grace?: number): Promise<void>
  destroy(): void
}

/** All optional. */
export interface SignalOptions {
  /** Runs after the server has closed: closes database pools, log sinks. */
  readonly onClosed?: () => unknown
  readonly logger?: Logger
  /** `process.exit` by default. */
  readonly exit?: (code: number) => void
}

const signals = ['SIGTERM', 'SIGINT'] as const

/**
 * Exits with 0 when all in-flight requests are answered and `onClosed` has finished, with 1 after a failure or a second
 * signal. Returns a function that removes the listeners.
 */
export function handleSignals(server: Closable, options: SignalOptions = {}): () => void {
  const exit = options.exit ?? ((code: number) => process.exit(code))
  let closing = false
  const onSignal = (signal: NodeJS.Signals): void => {
    if (closing) {
      options.logger?.warn({ signal }, 'second signal: closing without waiting')
      server.destroy()
      exit(1)
      return
    }
    closing = true
    options.logger?.info({ signal }, 'closing')
    shutDown(server, options).then(
      () => exit(0),
      (error: unknown) => {
        options.logger?.error({ error }, 'closing failed')
        exit(1)
      },
    )
  }
  for (const signal of signals) process.on(signal, onSignal)
  return () => {
    for (const signal of signals) process.off(signal, onSignal)
  }
}

async function shutDown(server: Closable, options: SignalOptions): Promise<void> {
  await server.close()
  await options.onClosed?.()
}
