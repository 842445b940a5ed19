/** Holds embedded databases for processes that come and go: `fw run` keeps one open while the application restarts. */
import type { PGlite } from '@electric-sql/pglite'
import { FwError } from '../base.ts'
import { decoders } from './decode.ts'
import { sessionDefaults } from './embedded-engine.ts'
import type { EngineAnswer, EngineChannel, EngineRequest, SentError } from './engine-channel.ts'
import { isEngineRequest } from './engine-channel.ts'
import { isConnectionLoss } from './query-error.ts'
import { folderInUse } from './folder-lock.ts'
import { openEngine } from './start-pglite.ts'

/** Texts stay texts: whoever asks decodes them. */
const asTexts = Object.fromEntries(
  Object.keys(decoders).map((type) => [type, (text: string) => text]),
)

interface Held {
  readonly pglite: PGlite
  readonly close: () => Promise<void>
  broken: boolean
}

/**
 * Opens a folder, locked for this process, when a process first asks for it, and keeps it until `close`. An engine has one
 * session: the processes use it one after another, each beginning as if it were new.
 */
export class EmbeddedHost {
  readonly #held = new Map<string, Promise<Held>>()
  #last: Promise<void> = Promise.resolve()

  /** Answers the process at the other end; the promise of `leave` is kept once what it left is undone. */
  serve(channel: EngineChannel): { leave(): Promise<void> } {
    const before = this.#last
    const used = new Set<string>()
    channel.onMessage((message) => {
      if (isEngineRequest(message))
        void before.then(() => this.#answer(message, used)).then((answer) => channel.send(answer))
    })
    const leave = async (): Promise<void> => {
      await before
      for (const folder of used) await this.#reset(folder)
    }
    return { leave: () => (this.#last = leave()) }
  }

  /** Closes every engine and gives its folder free. */
  async close(): Promise<void> {
    await this.#last
    const all = [...this.#held.values()]
    this.#held.clear()
    for (const held of all) await held.then(({ close }) => close()).catch(() => {})
  }

  async #answer(request: EngineRequest, used: Set<string>): Promise<EngineAnswer> {
    const { id: answer, folder } = request
    try {
      const result = await this.#run(request, used)
      return { answer, result, inTransaction: await this.#inTransaction(folder) }
    } catch (error) {
      const held = await this.#held.get(folder)?.catch(() => undefined)
      if (held !== undefined && isConnectionLoss(error)) held.broken = true
      return { answer, error: sentError(error), inTransaction: await this.#inTransaction(folder) }
    }
  }

  async #run(request: EngineRequest, used: Set<string>): Promise<EngineAnswer['result']> {
    const { folder } = request
    if (request.ask === 'end') {
      used.delete(folder)
      return void (await this.#reset(folder))
    }
    if (request.ask === 'open') return void (await this.#lend(folder, used))
    used.add(folder)
    const { pglite } = await this.#open(folder)
    if (request.ask === 'exec') return void (await pglite.exec(request.sql))
    const { sql, values } = request
    const { rows, fields, command, rowCount } = await pglite.query<unknown[]>(sql, values, {
      rowMode: 'array',
    })
    return { rows, fields, command, rowCount }
  }

  /** An engine has one session: a second database of the same process would share its transactions. */
  async #lend(folder: string, used: Set<string>): Promise<void> {
    if (used.has(folder)) throw folderInUse(folder)
    used.add(folder)
    try {
      await this.#open(folder)
    } catch (error) {
      used.delete(folder)
      throw error
    }
  }

  #open(folder: string): Promise<Held> {
    const held = this.#held.get(folder) ?? this.#start(folder)
    this.#held.set(folder, held)
    // What could not be opened is tried anew by whoever asks next.
    held.catch(() => this.#held.delete(folder))
    return held
  }

  async #start(folder: string): Promise<Held> {
    const { pglite, close } = await openEngine({ kind: 'pglite', folder })
    pglite.parsers = { ...asTexts }
    pglite.serializers = {}
    return { pglite, close, broken: false }
  }

  async #inTransaction(folder: string): Promise<boolean> {
    const held = await this.#held.get(folder)?.catch(() => undefined)
    return held !== undefined && !held.pglite.closed && held.pglite.isInTransaction()
  }

  /** What a session left: its transaction, settings, temporary tables, locks. */
  async #reset(folder: string): Promise<void> {
    const held = await this.#held.get(folder)?.catch(() => undefined)
    if (held === undefined) return
    try {
      if (held.broken) throw new Error('the engine broke down')
      if (held.pglite.isInTransaction()) await held.pglite.exec('rollback')
      await held.pglite.exec('discard all')
      await held.pglite.exec(sessionDefaults)
    } catch {
      this.#held.delete(folder)
      await held.close().catch(() => {})
    }
  }
}

function sentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { message: String(error), ours: false, members: {} }
  const { code, severity, constraint, table, column, detail, hint } = error as unknown as Record<
    string,
    unknown
  >
  const members = { code, severity, constraint, table, column, detail, hint }
  return { message: error.message, ours: error instanceof FwError, members }
}
