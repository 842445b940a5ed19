/** `fw start --workers`: parses the options and starts the workers. */
import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { FwError, type Logger, type LogSink } from '../../runtime/base.ts'
import { handleSignals } from '../../runtime/server.ts'
import { WorkerPool } from './worker-pool.ts'

const mostWorkers = 512
const mebibyte = 1024 ** 2
/** The maximum of `--worker-timeout`, in seconds. */
const longestTimeout = 24 * 60 * 60

/** True in the primary process, false in a worker. */
export const { isPrimary } = cluster

interface WorkerOptions {
  /** The number of workers, or `auto` for one worker per core. */
  readonly workers: string
  /** The resident memory in MiB above which a worker is replaced. */
  readonly workerMemory?: string
  /** The seconds without a heartbeat after which a worker is killed. */
  readonly workerTimeout: string
}

/** Starts the workers. @throws FwError `cli.number-invalid`, `cli.worker-failed` */
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
