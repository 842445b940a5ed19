/** How a process asks the one that holds its embedded database, and what that answers. */

/** Two ends of a line between processes; messages arrive in the order of sending, as structured clones. */
export interface EngineChannel {
  send(message: object): void
  onMessage(listener: (message: unknown) => void): void
}

interface Asked {
  readonly id: number
  /** A folder's absolute path, or `memory`. */
  readonly folder: string
}

/** `end` gives the engine back: what the session left is undone, the engine itself goes on. */
export type EngineRequest = Asked &
  (
    | { readonly ask: 'open' }
    | { readonly ask: 'end' }
    | { readonly ask: 'exec'; readonly sql: string }
    | { readonly ask: 'query'; readonly sql: string; readonly values: (string | null)[] }
  )

/** An error as it can be sent: a clone of one loses its own members. */
export interface SentError {
  readonly message: string
  /** True for an `FwError`. */
  readonly ours: boolean
  readonly members: Readonly<Record<string, unknown>>
}

/** Rows as lists of texts, to be decoded by the types of their columns. */
export interface SentResult {
  readonly rows: unknown[][]
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
  readonly command?: string | undefined
  readonly rowCount?: number | null | undefined
}

export interface EngineAnswer {
  readonly answer: number
  readonly result?: SentResult | undefined
  readonly error?: SentError
  readonly inTransaction: boolean
}

/** Other messages travel on the same line. */
export function isEngineRequest(message: unknown): message is EngineRequest {
  return typeof message === 'object' && message !== null && 'ask' in message
}

export function isEngineAnswer(message: unknown): message is EngineAnswer {
  return typeof message === 'object' && message !== null && 'answer' in message
}
