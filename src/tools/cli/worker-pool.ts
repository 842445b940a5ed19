/** `WorkerPool`: the primary process of `fw start --workers`, which starts, replaces and stops its workers. */
import cluster, { type Worker } from 'node:cluster'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { FwError, type Logger, type LogSink, moduleFile } from '../../runtime/base.ts'
import { handleSignals, type Closable } from '../../runtime/server.ts'
import {
  onMessage,
  sendMessage,
  type PrimaryMessage,
  type WorkerMessage,
} from './process-messages.ts'
import { releaseSharedSockets } from './shared-sockets.ts'
import { WorkerMetrics } from './worker-metrics.ts'

const mostWorkers = 512
const mebibyte = 1024 ** 2
/** The maximum of `--worker-timeout`, in seconds. */
const longestTimeout = 24 * 60 * 60

/** True in the primary process, false in a worker. */
export const { isPrimary } = cluster

/** The options of the command line. */
export interface WorkerOptions {
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
    count: parseWorkerCount(workers),
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

/** Returns the number of workers that `--workers` requires. @throws FwError `cli.number-invalid` */
export const parseWorkerCount = (workers: string): number =>
  workers === 'auto' ? availableParallelism() : parseNumber('--workers', workers, mostWorkers)

function parseNumber(option: string, text: string, most: number): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= most) return number
  throw new FwError(
    'cli.number-invalid',
    `${option} ${JSON.stringify(text)} is not a number from 1 to ${Math.floor(most)}.`,
  )
}

interface WorkerPoolOptions {
  readonly count: number
  /** The bytes of resident memory above which a worker is replaced; undefined is no limit. */
  readonly memoryLimit: number | undefined
  /** The milliseconds without a heartbeat after which a worker is killed. */
  readonly stuckAfter: number
  readonly write: (line: string) => void
  readonly logger: Logger
}

type Member = ReturnType<typeof createMember>

const createMember = (worker: Worker) => ({
  worker,
  /** Resolves to true when the worker has loaded the code, to false if the worker ends before. */
  loaded: Promise.withResolvers<boolean>(),
  /** Resolves to true when the application has started, to false if the worker ends before. */
  ready: Promise.withResolvers<boolean>(),
  exited: Promise.withResolvers<void>(),
  startedAt: performance.now(),
  lastSign: performance.now(),
  isReady: false,
  sockets: [] as readonly string[],
  isStuck: false,
  /** True if the primary has sent `stop` to the worker. */
  isStopping: false,
  isReplaced: false,
})

const checkInterval = 1_000
/** The milliseconds after which a worker counts as stable; if a stable worker ends, its successor starts without a delay. */
const stableAfter = 10_000
const longestDelay = 10_000
const main = moduleFile('tools/cli/main')

/**
 * Starts, replaces and stops workers. In addition to the serving workers, it keeps a spare worker that has loaded the code and
 * starts the application when it replaces another worker. Without it a replacement would take seconds under load.
 */
export class WorkerPool implements Closable {
  readonly #options: WorkerPoolOptions
  /** All workers, including the spare worker. */
  readonly #members = new Set<Member>()
  readonly #metrics = new WorkerMetrics()
  #spare: Member | undefined
  /** The earliest time, as `performance.now()`, at which the next spare worker may start. */
  #nextSpareAt = 0
  #failures = 0
  #timer: NodeJS.Timeout | undefined
  #restarting: Promise<void> | undefined
  /** True while a worker is replaced because of its memory. */
  #isReplacing = false
  #isClosing = false

  constructor(options: WorkerPoolOptions) {
    this.#options = options
    // Let workers accept connections themselves: a connection that the primary passed to a worker that has just ended would
    // hang.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    cluster.setupPrimary({ exec: main, args: process.argv.slice(2), silent: true })
  }

  /**
   * Resolves when all workers serve, or after `close`.
   * @throws FwError `cli.worker-failed` if a worker ends before it serves
   */
  async start(): Promise<void> {
    const { count } = this.#options
    const members = Array.from({ length: count }, () => this.#serveWithNext()).filter(
      (member) => member !== undefined,
    )
    const started = await Promise.all(members.map(({ ready }) => ready.promise))
    // After a signal during the start, do nothing more: `handleSignals` ends the process.
    if (this.#isClosing) return
    if (members.length < count || started.includes(false)) {
      await this.close()
      throw new FwError('cli.worker-failed', 'A worker ended before it served: see its message.')
    }
    this.#timer = setInterval(() => this.#check(), checkInterval)
    this.#prepareSpare()
    for (const member of members) void this.#respawnAfter(member)
  }

  /** Replaces the workers one after another. Each worker serves until its successor serves. */
  restart(): Promise<void> {
    return (this.#restarting ??= this.#replaceAll().finally(() => (this.#restarting = undefined)))
  }

  async close(): Promise<void> {
    this.#isClosing = true
    for (const { worker, sockets } of this.#members) releaseSharedSockets(worker, sockets)
    for (const member of this.#members) stop(member, 'all')
    // Keep the timer until all workers have exited, because its checks kill workers that are stuck.
    await Promise.all([...this.#members].map(({ exited }) => exited.promise))
    clearInterval(this.#timer)
  }

  destroy(): void {
    for (const { worker } of this.#members) worker.process.kill('SIGKILL')
  }

  /** Makes the spare worker, else a new worker, start the application. Returns undefined if no worker can be created. */
  #serveWithNext(): Member | undefined {
    const member = this.#spare ?? this.#fork()
    this.#spare = undefined
    if (member === undefined) return undefined
    member.startedAt = performance.now()
    void member.loaded.promise.then((isLoaded) => {
      if (isLoaded) send(member, { serve: true })
    })
    // Start the next spare worker only afterwards, because the start of this worker needs the processor.
    void member.ready.promise.then(() => this.#prepareSpare())
    return member
  }

  /** Creates a spare worker, unless one exists. */
  #prepareSpare(): void {
    const isStarting = this.#timer === undefined
    const isEarly = performance.now() < this.#nextSpareAt
    if (this.#spare !== undefined || this.#isClosing || isStarting || isEarly) return
    const spare = this.#fork()
    if (spare === undefined) {
      this.#nextSpareAt = performance.now() + longestDelay
      return
    }
    this.#spare = spare
    void spare.exited.promise.then(() => {
      if (this.#spare !== spare) return
      this.#spare = undefined
      this.#nextSpareAt = performance.now() + longestDelay
      if (!this.#isClosing) this.#options.logger.warn({}, 'the spare worker has ended')
    })
  }

  /**
   * Creates a worker. Returns undefined if the system refuses immediately; a later refusal emits the worker's event `error`.
   */
  #fork(): Member | undefined {
    let worker: Worker
    try {
      worker = cluster.fork()
    } catch (error) {
      this.#reportRefusal(error as Error)
      return undefined
    }
    const member = createMember(worker)
    this.#members.add(member)
    onMessage<WorkerMessage>(worker.process, (one) => this.#receive(member, one), 'fwWorker')
    const end = (): void => {
      this.#members.delete(member)
      member.loaded.resolve(false)
      member.ready.resolve(false)
      member.exited.resolve()
    }
    worker.once('exit', end)
    // Use `disconnect`, which is emitted after the last message; `exit` may be emitted before it.
    worker.once('disconnect', () => this.#metrics.end(worker))
    worker.on('error', (error) => {
      // Ignore the error of a message to a worker that has just ended.
      if (worker.process.pid !== undefined) return
      // The process could not be created, so Node emits no `exit`.
      this.#reportRefusal(error)
      end()
    })
    this.#forwardOutput(worker)
    return member
  }

  /** Logs that no process could be created, for example because memory is exhausted or an update has removed this Node. */
  #reportRefusal({ message }: Error): void {
    this.#options.logger.error({ problem: message }, 'a worker process cannot be created')
  }

  /** Forwards the worker's output line by line, so that the lines of several workers are not mixed. */
  #forwardOutput({ process: { stdout, stderr } }: Worker): void {
    const forward = (input: Readable | null | undefined, write: (line: string) => void): unknown =>
      input && createInterface({ input }).on('line', write)
    forward(stdout, (line) => this.#options.write(`${line}\n`))
    forward(stderr, (line) => process.stderr.write(`${line}\n`))
  }

  #receive(member: Member, message: WorkerMessage): void {
    member.lastSign = performance.now()
    if ('loaded' in message) member.loaded.resolve(true)
    else if ('ready' in message) {
      member.isReady = true
      member.sockets = message.sockets
      member.ready.resolve(true)
    } else if ('snapshot' in message) this.#metrics.receive(member.worker, message.snapshot)
    else if ('scrape' in message) void this.#respondToScrape(member)
    else this.#checkMemory(member, message.memory)
  }

  async #respondToScrape(member: Member): Promise<void> {
    const ready = Array.from(this.#members).filter(({ isReady }) => isReady)
    const metrics = await this.#metrics.collect(ready.map(({ worker }) => worker))
    send(member, { metrics })
  }

  #checkMemory(member: Member, memory: number): void {
    const { memoryLimit, logger } = this.#options
    if (memoryLimit === undefined || memory <= memoryLimit) return
    if (!member.isReady || member.isReplaced || member.isStopping) return
    // Replace one worker at a time, because its successor needs memory too. Other workers report their memory again in a
    // second.
    if (this.#isReplacing || this.#restarting !== undefined) return
    logger.warn({ worker: member.worker.id, memory }, 'worker above its memory')
    this.#isReplacing = true
    void this.#replace(member, 'memory').finally(() => (this.#isReplacing = false))
  }

  /** Kills the workers that have sent no heartbeat, because their event loops are blocked. */
  #check(): void {
    const { stuckAfter, logger } = this.#options
    for (const member of this.#members) {
      const millis = performance.now() - member.lastSign
      if (millis < stuckAfter) continue
      const { id } = member.worker
      logger.error({ worker: id, millis: Math.round(millis) }, 'worker is stuck: killed')
      member.isStuck = true
      member.worker.process.kill('SIGKILL')
    }
    this.#prepareSpare()
  }

  async #respawnAfter(member: Member): Promise<void> {
    await member.exited.promise
    if (this.#isClosing || member.isReplaced) return
    const { worker, startedAt } = member
    const { exitCode, signalCode } = worker.process
    this.#options.logger.error({ worker: worker.id, exitCode, signalCode }, 'worker ended')
    this.#metrics.countReplacement(member.isStuck ? 'stuck' : 'exit')
    this.#failures = performance.now() - startedAt > stableAfter ? 0 : this.#failures + 1
    let successor: Member | undefined
    do {
      // Start without a delay after a first failure; delay increasingly if further workers fail soon after their start.
      const delay = this.#failures < 2 ? 0 : Math.min(longestDelay, 100 * 2 ** this.#failures)
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay))
      if (this.#isClosing) return
      successor = this.#serveWithNext()
      if (successor === undefined) this.#failures++
    } while (successor === undefined)
    void this.#respawnAfter(successor)
  }

  async #replaceAll(): Promise<void> {
    const { logger } = this.#options
    this.#discardSpare()
    const members = [...this.#members]
      .filter(({ isReplaced, isStopping }) => !isReplaced && !isStopping)
      // Replace the ready workers first, because workers that still start may take long or fail.
      .toSorted((one, other) => Number(other.isReady) - Number(one.isReady))
    logger.info({ workers: members.length }, 'replacing the workers')
    for (const member of members) {
      const isReady = await member.ready.promise
      if (this.#isClosing) return
      // Skip a worker that has ended, because its successor already runs the new code.
      if (isReady && !(await this.#replace(member, 'restart'))) return
    }
    logger.info({ workers: members.length }, 'replaced the workers')
  }

  /** Stops the spare worker, which has loaded the code from before the restart. */
  #discardSpare(): void {
    const spare = this.#spare
    this.#spare = undefined
    this.#nextSpareAt = 0
    if (spare !== undefined) stop(spare, 'replaced')
  }

  /** Replaces a worker. Returns false if the successor does not start; the worker then continues to serve. */
  async #replace(member: Member, reason: 'memory' | 'restart'): Promise<boolean> {
    if (member.isReplaced || !this.#members.has(member)) return true
    member.isReplaced = true
    const successor = this.#serveWithNext()
    if (successor === undefined || !(await successor.ready.promise)) {
      this.#options.logger.error({ worker: member.worker.id }, 'worker not replaced')
      member.isReplaced = false
      if (member.worker.isDead()) void this.#respawnAfter(member)
      return false
    }
    this.#metrics.countReplacement(reason)
    void this.#respawnAfter(successor)
    stop(member, 'replaced')
    await member.exited.promise
    return true
  }
}

const send = ({ worker }: Member, message: PrimaryMessage): void =>
  void sendMessage(worker.process, message, { key: 'fwWorker' })

function stop(member: Member, which: 'all' | 'replaced'): void {
  if (member.isStopping) return
  member.isStopping = true
  send(member, { stop: which })
}
