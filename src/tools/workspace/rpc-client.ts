/** A client of JSON-RPC 2.0 over the streams of a process, with the headers of the Language Server Protocol. */
import type { Readable, Writable } from 'node:stream'

/** The codes of errors in the Language Server Protocol, section "Base Protocol". */
export const requestErrors = {
  cancelled: -32_800,
  contentModified: -32_801,
  failed: -32_803,
} as const

/** The error of a request, with its code in the protocol. */
export class RequestError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'RequestError'
    this.code = code
  }
}

/** Signals that a request is no longer needed. Compatible with the `CancellationToken` of vscode-languageserver. */
export interface Cancellation {
  readonly isCancellationRequested: boolean
  onCancellationRequested(listener: () => void): { dispose(): void }
}

/** Converts a signal; without one, the request is never cancelled. */
export function cancellationOf(signal?: AbortSignal): Cancellation {
  return {
    get isCancellationRequested() {
      return signal?.aborted ?? false
    },
    onCancellationRequested(listener) {
      if (signal?.aborted === true) listener()
      else signal?.addEventListener('abort', listener)
      return { dispose: () => signal?.removeEventListener('abort', listener) }
    },
  }
}

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

interface PendingRequest {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

const endOfHeader = '\r\n\r\n'

export class RpcClient {
  readonly #output: Writable
  readonly #onRequest: (method: string, params: unknown) => unknown
  readonly #pending = new Map<number, PendingRequest>()
  #lastId = 0
  /** The bytes that are not read yet, and the number of bytes without which no message is complete. */
  #chunks: Buffer[] = []
  #length = 0
  #needed = 1
  #isDisposed = false

  /** @param onRequest returns the result of a request of the server; notifications of the server are ignored */
  constructor(
    input: Readable,
    output: Writable,
    onRequest: (method: string, params: unknown) => unknown,
  ) {
    this.#output = output
    this.#onRequest = onRequest
    input.on('data', (chunk: Buffer) => {
      try {
        this.#receive(chunk)
      } catch {
        // The server does not follow the protocol, so that later messages cannot be trusted.
        this.dispose()
        input.destroy()
      }
    })
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params })
  }

  /** Sends a request. @throws RequestError if the server rejects it, or the client is disposed */
  async request<R>(method: string, params?: unknown, cancellation?: Cancellation): Promise<R> {
    if (this.#isDisposed) throw connectionClosed()
    const id = ++this.#lastId
    const response = Promise.withResolvers<unknown>()
    this.#pending.set(id, response)
    this.#send({ id, method, params })
    const listener = cancellation?.onCancellationRequested(() =>
      this.notify('$/cancelRequest', { id }),
    )
    try {
      return (await response.promise) as R
    } finally {
      this.#pending.delete(id)
      listener?.dispose()
    }
  }

  /** Rejects all requests, and sends nothing any more. */
  dispose(): void {
    this.#isDisposed = true
    for (const { reject } of this.#pending.values()) reject(connectionClosed())
  }

  #send(message: Message): void {
    if (this.#isDisposed || !this.#output.writable) return
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    this.#output.write(`Content-Length: ${Buffer.byteLength(body)}${endOfHeader}${body}`)
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    // Joining at each chunk would copy a large message many times.
    if (this.#length < this.#needed) return
    let rest = Buffer.concat(this.#chunks)
    this.#needed = 1
    for (;;) {
      const header = rest.indexOf(endOfHeader)
      if (header < 0) break
      const start = header + endOfHeader.length
      const [, length] = /Content-Length: *(\d+)/i.exec(rest.toString('latin1', 0, header)) ?? []
      if (length === undefined) throw new Error('A message has no Content-Length.')
      const end = start + Number(length)
      if (rest.length < end) {
        this.#needed = end
        break
      }
      const message = JSON.parse(rest.toString('utf8', start, end)) as Message
      rest = rest.subarray(end)
      this.#handle(message)
    }
    this.#chunks = [rest]
    this.#length = rest.length
  }

  #handle({ id, method, params, result, error }: Message): void {
    if (method !== undefined) {
      if (id !== undefined) this.#send({ id, result: this.#onRequest(method, params) ?? null })
      return
    }
    const request = this.#pending.get(Number(id))
    if (error === undefined) request?.resolve(result)
    else request?.reject(new RequestError(error.code, error.message))
  }
}

const connectionClosed = (): RequestError =>
  new RequestError(requestErrors.failed, 'The server has ended')
