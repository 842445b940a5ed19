/** SIGTERM and SIGINT: drain, clean up, exit; a second signal does not wait. */
import type { Logger } from '../base.ts'

/** What can be drained and, when that takes too long, cut. */
export interface Closable {
  close(grace?: number): Promise<void>
  destroy(): void
}

/** All optional. */
export interface SignalOptions {
  /** Runs after the server is closed: database pools, log sinks. */
  readonly onClosed?: () => unknown
  readonly logger?: Logger
  /** By default `process.exit`. */
  readonly exit?: (code: number) => void
}

const signals = ['SIGTERM', 'SIGINT'] as const

/**
 * Exits 0 once everything in flight was answered and `onClosed` is done, 1 when that failed or a second signal forced it.
 * Returns what removes the listeners again.
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
