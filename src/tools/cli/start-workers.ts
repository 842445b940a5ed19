/** `fw start --workers`: the options of the primary process, and the part of a worker. */
import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { FwError, type Logger, type LogSink } from '../../runtime/base.ts'
import { handleSignals } from '../../runtime/server.ts'
import { reportToPrimary } from './worker-messages.ts'
import { WorkerPool } from './worker-pool.ts'

const mostWorkers = 512
const mebibyte = 1024 ** 2
const stuckAfter = 30_000

/** False in a worker. */
export const { isPrimary } = cluster

/** @throws FwError `cli.number-invalid`, `cli.worker-failed` */
export async function startWorkers(
  workers: string,
  memory: string | undefined,
  { logger, sink }: { readonly logger: Logger; readonly sink: LogSink },
): Promise<void> {
  const pool = new WorkerPool({
    count:
      workers === 'auto' ? availableParallelism() : parseNumber('--workers', workers, mostWorkers),
    memoryLimit:
      memory === undefined
        ? undefined
        : parseNumber('--worker-memory', memory, Number.MAX_SAFE_INTEGER / mebibyte) * mebibyte,
    stuckAfter,
    write: sink.write,
    logger,
  })
  handleSignals(pool, { logger, onClosed: () => sink.flush() })
  process.on('SIGHUP', () => void pool.restart())
  await pool.start()
}

function parseNumber(option: string, text: string, most: number): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= most) return number
  throw new FwError(
    'cli.number-invalid',
    `${option} ${JSON.stringify(text)} is not a number from 1 to ${Math.floor(most)}.`,
  )
}

/** Ctrl-C signals the worker, too: the primary's request to stop is then the second one, and has no effect. */
export function joinPrimary(): void {
  let isStopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.prependListener(signal, () => (isStopping = true))
  // Only the primary reloads.
  process.on('SIGHUP', () => {})
  reportToPrimary(() => {
    if (!isStopping) process.emit('SIGTERM')
  })
}
