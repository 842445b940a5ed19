/** Handles SIGTERM, SIGINT and uncaught errors: drains the server, cleans up and exits. A second signal exits at once. */
import type { Logger } from '../base.ts'

/** A server that can be drained, or closed at once. */
export interface Closable {
  close(grace?: number, drainDelay?: number): Promise<void>
  destroy(): void
}

export interface SignalOptions {
  /** A callback that runs after the server has closed; it may close database pools and log sinks. */
  readonly onClosed?: () => unknown
  readonly logger?: Logger
  /** The function that ends the process; default `process.exit`. */
  readonly exit?: (code: number) => void
}

const signals = ['SIGTERM', 'SIGINT'] as const
const failures = ['unhandledRejection', 'uncaughtException'] as const
/** EX_SOFTWARE of sysexits.h. This exit code lets process managers distinguish an uncaught error from a failed start. */
const failureCode = 70

/**
 * Closes the server on a signal. Exits with 0 when all in-flight requests have a response and `onClosed` has finished, or with
 * 1 if closing fails or a second signal arrives. Also closes the server after an uncaught error, without waiting for the
 * setting `drainDelay`, and exits with 70. Returns a function that removes the listeners.
 */
export function handleSignals(server: Closable, options: SignalOptions = {}): () => void {
  const exit = options.exit ?? ((code: number) => process.exit(code))
  let closing = false
  const close = async (code: number, drainDelay?: number): Promise<void> => {
    closing = true
    try {
      await server.close(undefined, drainDelay)
      await options.onClosed?.()
    } catch (error) {
      options.logger?.error({ err: error }, 'closing failed')
      return exit(code === 0 ? 1 : code)
    }
    exit(code)
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    if (closing) {
      options.logger?.warn({ signal }, 'second signal: closing without waiting')
      server.destroy()
      exit(1)
      return
    }
    options.logger?.info({ signal }, 'closing')
    void close(0)
  }
  // Node calls this listener in the async context of the rejected promise, so the logger adds the ids of its request.
  const onFailure = (error: unknown): void => {
    options.logger?.error({ err: error }, 'an error was not caught: the process closes')
    if (!closing) void close(failureCode, 0)
  }
  for (const signal of signals) process.on(signal, onSignal)
  for (const failure of failures) process.on(failure, onFailure)
  return () => {
    for (const signal of signals) process.off(signal, onSignal)
    for (const failure of failures) process.off(failure, onFailure)
  }
}
