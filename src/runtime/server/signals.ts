/** Handles SIGTERM, SIGINT and errors that nothing caught: drains, cleans up, exits; a second signal exits at once. */
import type { Logger } from '../base.ts'

/** A server that can be drained, or closed at once. */
export interface Closable {
  close(grace?: number, drainDelay?: number): Promise<void>
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
const failures = ['unhandledRejection', 'uncaughtException'] as const
/** EX_SOFTWARE of sysexits.h: process managers tell it from a failed start. */
const failureCode = 70

/**
 * Exits with 0 when all in-flight requests are answered and `onClosed` has finished, with 1 after a failure to close or a
 * second signal. After an error that nothing caught it closes likewise, without the setting `drainDelay`, and exits with 70.
 * Returns a function that removes the listeners.
 */
export function handleSignals(server: Closable, options: SignalOptions = {}): () => void {
  const exit = options.exit ?? ((code: number) => process.exit(code))
  let closing = false
  const close = (code: number, drainDelay?: number): void => {
    closing = true
    shutDown(server, options, drainDelay).then(
      () => exit(code),
      (error: unknown) => {
        options.logger?.error({ error }, 'closing failed')
        exit(code === 0 ? 1 : code)
      },
    )
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    if (closing) {
      options.logger?.warn({ signal }, 'second signal: closing without waiting')
      server.destroy()
      exit(1)
      return
    }
    options.logger?.info({ signal }, 'closing')
    close(0)
  }
  // In the async context of the rejected promise, so that the logger adds the ids of its request.
  const onFailure = (error: unknown): void => {
    options.logger?.error({ err: error }, 'an error was not caught: the process closes')
    if (!closing) close(failureCode, 0)
  }
  for (const signal of signals) process.on(signal, onSignal)
  for (const failure of failures) process.on(failure, onFailure)
  return () => {
    for (const signal of signals) process.off(signal, onSignal)
    for (const failure of failures) process.off(failure, onFailure)
  }
}

async function shutDown(
  server: Closable,
  options: SignalOptions,
  drainDelay: number | undefined,
): Promise<void> {
  await server.close(undefined, drainDelay)
  await options.onClosed?.()
}
