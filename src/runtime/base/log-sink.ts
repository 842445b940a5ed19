/** `LogSink`: writes log lines to a stream. A slow, full or closed stream neither blocks nor crashes the process. */

/** The members of a Node stream that `LogSink` uses; `process.stdout` has them. */
export interface LogStream {
  readonly writableLength: number
  write(text: string, done?: (error?: Error | null) => void): boolean
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** Drops and counts the lines while the stream's buffer is full, and after the stream has failed. */
export class LogSink {
  readonly #stream: LogStream
  readonly #limit: number
  #broken = false
  #dropped = 0
  #unreported = 0

  /** Drops lines while the stream buffers more than `limit` bytes. */
  constructor(stream: LogStream, limit = 1_048_576) {
    this.#stream = stream
    this.#limit = limit
    stream.on('error', () => {
      this.#broken = true
    })
  }

  /** The number of lines dropped so far. */
  get dropped(): number {
    return this.#dropped
  }

  /** Writes a line, or drops it; never blocks and never throws. An arrow function, so that it can be passed to a logger. */
  readonly write = (line: string): void => {
    if (this.#broken || this.#stream.writableLength > this.#limit) {
      this.#dropped++
      this.#unreported++
      return
    }
    try {
      if (this.#unreported > 0) this.#report()
      this.#stream.write(line)
    } catch {
      this.#broken = true
    }
  }

  #report(): void {
    const lost = { level: 'warn', time: new Date().toISOString(), msg: 'log lines dropped' }
    this.#stream.write(JSON.stringify({ ...lost, count: this.#unreported }) + '\n')
    this.#unreported = 0
  }

  /** Resolves when all earlier lines are written, or after `patience` milliseconds. Never rejects. */
  async flush(patience = 1000): Promise<void> {
    if (this.#broken) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, patience)
    try {
      this.#stream.write('', () => resolve())
      await promise
    } catch {
      this.#broken = true
    }
    clearTimeout(timer)
  }
}
