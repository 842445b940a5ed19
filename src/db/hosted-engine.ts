/** An embedded engine that another process holds. */
import { FwError, type ErrorCode } from '../base.ts'
import { decoders } from './decode.ts'
import type { EmbeddedEngine, EngineResult } from './embedded-engine.ts'
import type {
  EngineAnswer,
  EngineChannel,
  EngineRequest,
  SentError,
  SentResult,
} from './engine-channel.ts'
import { isEngineAnswer } from './engine-channel.ts'

/** A request without what the line adds. */
type Question = EngineRequest extends infer R ? (R extends unknown ? Omit<R, 'id'> : never) : never

/** The line to the process that holds the engines. */
class Line {
  /** The process above has one database in memory for this one: it outlives restarts, any other is this process's own. */
  hasMemory = false
  readonly #channel: EngineChannel
  readonly #waiting = new Map<number, (answer: EngineAnswer) => void>()
  #asked = 0

  constructor(channel: EngineChannel) {
    this.#channel = channel
    channel.onMessage((message) => {
      if (!isEngineAnswer(message)) return
      this.#waiting.get(message.answer)?.(message)
      this.#waiting.delete(message.answer)
    })
  }

  ask(question: Question): Promise<EngineAnswer> {
    const id = ++this.#asked
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#channel.send({ ...question, id })
    })
  }
}

let line: Line | undefined

/** From now on this process opens embedded databases through the process at the other end of the channel; without one, by itself. */
export function useEmbeddedHost(channel: EngineChannel | undefined): void {
  line = channel && new Line(channel)
}

/** The engine of a folder as the other process holds it; `undefined` where there is none such. @throws as `startPglite` */
export async function hostedEngine(folder: string): Promise<EmbeddedEngine | undefined> {
  if (line === undefined) return undefined
  const isMemory = folder === 'memory'
  if (isMemory && line.hasMemory) return undefined
  if (isMemory) line.hasMemory = true
  const { error } = await line.ask({ ask: 'open', folder })
  if (error !== undefined) {
    if (isMemory) line.hasMemory = false
    throw received(error)
  }
  return new HostedEngine(line, folder)
}

class HostedEngine implements EmbeddedEngine {
  readonly #line: Line
  readonly #folder: string
  #inTransaction = false
  closed = false

  constructor(to: Line, folder: string) {
    this.#line = to
    this.#folder = folder
  }

  isInTransaction(): boolean {
    return this.#inTransaction
  }

  async query<Row>(sql: string, values: (string | null)[]): Promise<EngineResult<Row>> {
    const { result } = await this.#ask({ ask: 'query', folder: this.#folder, sql, values })
    return { ...result, rows: rowsOf<Row>(result!) }
  }

  async exec(sql: string): Promise<void> {
    await this.#ask({ ask: 'exec', folder: this.#folder, sql })
  }

  async close(): Promise<void> {
    this.closed = true
    await this.#line.ask({ ask: 'end', folder: this.#folder })
    if (this.#folder === 'memory') this.#line.hasMemory = false
  }

  async #ask(question: Question): Promise<EngineAnswer> {
    const answer = await this.#line.ask(question)
    this.#inTransaction = answer.inTransaction
    if (answer.error !== undefined) throw received(answer.error)
    return answer
  }
}

function rowsOf<Row>({ rows, fields }: SentResult): Row[] {
  const decode = fields.map(({ dataTypeID }) => decoders[dataTypeID])
  return rows.map((row) => {
    const made: Record<string, unknown> = {}
    for (const [at, { name }] of fields.entries()) {
      const value = row[at]
      const decoder = typeof value === 'string' ? decode[at] : undefined
      made[name] = decoder === undefined ? value : decoder(value as string)
    }
    return made as Row
  })
}

/** The error as it was, by its class where that is ours. */
function received({ message, ours, members }: SentError): Error {
  return ours
    ? new FwError(members['code'] as ErrorCode, message)
    : Object.assign(new Error(message), members)
}
