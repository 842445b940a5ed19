/** `WorkerPool`: the primary process of `fw start --workers`, which starts, replaces and stops its workers. */
import cluster, { type Worker } from 'node:cluster'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { FwError, type Logger, programFile } from '../../runtime/base.ts'
import type { Closable } from '../../runtime/server.ts'
import { unwrapMessage, wrapMessage } from './worker-messages.ts'

export interface WorkerPoolOptions {
  readonly count: number
  /** Bytes of resident memory above which a worker is replaced; undefined without a limit. */
  readonly memoryLimit: number | undefined
  /** Milliseconds without a sign of life after which a worker is killed. */
  readonly stuckAfter: number
  /** Writes one line of a worker's log. */
  readonly write: (line: string) => void
  readonly logger: Logger
}

interface Member {
  readonly worker: Worker
  readonly startedAt: number
  /** True once the application has started. */
  readonly ready: PromiseWithResolvers<boolean>
  readonly exited: Promise<unknown>
  lastSign: number
  /** True if the primary has asked the worker to stop. */
  isStopping: boolean
  isReplaced: boolean
}

const checkInterval = 1_000
/** A worker that has lived for so long is started again at once. */
const stableAfter = 10_000
const longestDelay = 10_000
const main = programFile('tools/cli/main')

export class WorkerPool implements Closable {
  readonly #options: WorkerPoolOptions
  readonly #members = new Set<Member>()
  #failures = 0
  #timer: NodeJS.Timeout | undefined
  #restarting: Promise<void> | undefined
  #isClosing = false

  constructor(options: WorkerPoolOptions) {
    this.#options = options
    // Workers accept from one socket: a connection that the primary passes to a worker that has just ended would hang.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    cluster.setupPrimary({ exec: main, args: process.argv.slice(2), silent: true })
  }

  /** Resolves when every worker serves. @throws FwError `cli.worker-failed` if one ends before */
  async start(): Promise<void> {
    const members = Array.from({ length: this.#options.count }, () => this.#fork())
    const started = await Promise.all(members.map(({ ready }) => ready.promise))
    if (started.includes(false)) {
      await this.close()
      throw new FwError('cli.worker-failed', 'A worker ended before it served: see its message.')
    }
    this.#timer = setInterval(() => this.#check(), checkInterval)
    for (const member of members) void this.#respawnAfter(member)
  }

  /** Replaces the workers one after another; each serves until its successor does. */
  restart(): Promise<void> {
    return (this.#restarting ??= this.#replaceAll().finally(() => (this.#restarting = undefined)))
  }

  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#timer)
    for (const member of this.#members) stop(member)
    await Promise.all([...this.#members].map(({ exited }) => exited))
  }

  destroy(): void {
    for (const { worker } of this.#members) worker.process.kill('SIGKILL')
  }

  #fork(): Member {
    const worker = cluster.fork()
    const ready = Promise.withResolvers<boolean>()
    const now = performance.now()
    const exited = new Promise((resolve) => worker.once('exit', resolve))
    const member: Member = {
      worker,
      ready,
      exited,
      startedAt: now,
      lastSign: now,
      isStopping: false,
      isReplaced: false,
    }
    this.#members.add(member)
    worker.on('message', (wrapped: unknown) => this.#receive(member, unwrapMessage(wrapped)))
    worker.once('exit', () => {
      this.#members.delete(member)
      ready.resolve(false)
    })
    // A message to a worker that has just ended.
    worker.on('error', () => {})
    const { stdout, stderr } = worker.process
    this.#forward(stdout, (line) => this.#options.write(`${line}\n`))
    this.#forward(stderr, (line) => process.stderr.write(`${line}\n`))
    return member
  }

  /** Line by line, so that lines of several workers are not mixed. */
  #forward(stream: Readable | null, write: (line: string) => void): void {
    if (stream !== null) createInterface({ input: stream }).on('line', write)
  }

  #receive(member: Member, message: object | undefined): void {
    if (message === undefined) return
    member.lastSign = performance.now()
    if ('ready' in message) member.ready.resolve(true)
    const { memoryLimit, logger } = this.#options
    if (!('memory' in message) || memoryLimit === undefined || member.isReplaced) return
    if (Number(message.memory) <= memoryLimit) return
    logger.warn({ worker: member.worker.id, memory: message.memory }, 'worker above its memory')
    void this.#replace(member)
  }

  /** A worker that sends no sign of life is stuck: its event loop does not turn. */
  #check(): void {
    const { stuckAfter, logger } = this.#options
    for (const { worker, lastSign } of this.#members) {
      const millis = performance.now() - lastSign
      if (millis < stuckAfter) continue
      logger.error({ worker: worker.id, millis: Math.round(millis) }, 'worker is stuck: killed')
      worker.process.kill('SIGKILL')
    }
  }

  async #respawnAfter(member: Member): Promise<void> {
    await member.exited
    if (this.#isClosing || member.isReplaced) return
    const { worker, startedAt } = member
    const { exitCode, signalCode } = worker.process
    this.#options.logger.error({ worker: worker.id, exitCode, signalCode }, 'worker ended')
    this.#failures = performance.now() - startedAt > stableAfter ? 0 : this.#failures + 1
    // The first end is an accident; further ones soon after it are not.
    const delay = this.#failures < 2 ? 0 : Math.min(longestDelay, 100 * 2 ** this.#failures)
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay))
    if (!this.#isClosing) void this.#respawnAfter(this.#fork())
  }

  async #replaceAll(): Promise<void> {
    const { logger } = this.#options
    logger.info({ workers: this.#members.size }, 'replacing the workers')
    for (const member of Array.from(this.#members))
      if (!this.#isClosing && !(await this.#replace(member))) return
    logger.info({ workers: this.#members.size }, 'replaced the workers')
  }

  /** Returns false if the successor does not start: the worker then stays. */
  async #replace(member: Member): Promise<boolean> {
    member.isReplaced = true
    const successor = this.#fork()
    if (!(await successor.ready.promise)) {
      this.#options.logger.error({ worker: member.worker.id }, 'worker not replaced')
      member.isReplaced = false
      if (member.worker.isDead()) void this.#respawnAfter(member)
      return false
    }
    void this.#respawnAfter(successor)
    stop(member)
    await member.exited
    return true
  }
}

function stop(member: Member): void {
  if (member.isStopping) return
  member.isStopping = true
  if (member.worker.isConnected()) member.worker.send(wrapMessage({ stop: true }))
}
