/** `fw start --workers`: the options of the primary process, and the part of a worker. */
import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { FwError, type Logger, type LogSink } from '../../runtime/base.ts'
import { handleSignals } from '../../runtime/server.ts'
import { WorkerPool } from './worker-pool.ts'

const mostWorkers = 512
const mebibyte = 1024 ** 2
/** Seconds. */
const longestTimeout = 24 * 60 * 60

/** False in a worker. */
export const { isPrimary } = cluster

interface WorkerOptions {
  /** A number, or `auto`. */
  readonly workers: string
  /** MiB. */
  readonly workerMemory?: string
  /** Seconds. */
  readonly workerTimeout: string
}

/** @throws FwError `cli.number-invalid`, `cli.worker-failed` */
export async function startWorkers(
  { workers, workerMemory: memory, workerTimeout }: WorkerOptions,
  { logger, sink }: { readonly logger: Logger; readonly sink: LogSink },
): Promise<void> {
  const pool = new WorkerPool({
    count:
      workers === 'auto' ? availableParallelism() : parseNumber('--workers', workers, mostWorkers),
    memoryLimit:
      memory === undefined
        ? undefined
        : parseNumber('--worker-memory', memory, Number.MAX_SAFE_INTEGER / mebibyte) * mebibyte,
    stuckAfter: parseNumber('--worker-timeout', workerTimeout, longestTimeout) * 1000,
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
