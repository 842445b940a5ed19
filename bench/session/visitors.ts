/** Visitors that each increment a counter in their session, over raw sockets: a lost increment fails the run. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const count = 32

interface Answer {
  readonly body: string
  readonly cookie: string | undefined
}

/** A keep-alive connection with one in-flight request. */
class Visitor {
  #counted = 0
  #cookie = ''
  #received = ''
  #answered: (answer: Answer) => void = () => {}
  #socket: Socket | undefined
  readonly #port: number
  readonly #counts: boolean

  constructor(port: number, counts: boolean) {
    this.#port = port
    this.#counts = counts
  }

  /** Connects for one round, because servers close idle connections between rounds. */
  async connect(): Promise<void> {
    this.#socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    this.#socket.setEncoding('latin1').on('data', (text) => this.#receive(String(text)))
    await once(this.#socket, 'connect')
  }

  async visit(): Promise<void> {
    const { body, cookie } = await this.#request()
    if (!this.#counts) return
    this.#counted++
    if (body !== String(this.#counted))
      throw new Error(`counted ${this.#counted}, received ${body}`)
    if (cookie !== undefined) this.#cookie = `Cookie: ${cookie}\r\n`
  }

  leave(): void {
    this.#socket?.destroy()
  }

  #request(): Promise<Answer> {
    this.#socket?.write(`GET / HTTP/1.1\r\nHost: localhost\r\n${this.#cookie}\r\n`)
    return new Promise((resolve) => (this.#answered = resolve))
  }

  #receive(text: string): void {
    this.#received += text
    const end = this.#received.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = this.#received.slice(0, end)
    const body = this.#received.slice(end + 4)
    if (body.length < Number(/^content-length: (\d+)$/im.exec(head)?.[1])) return
    this.#received = ''
    this.#answered({ body, cookie: /^set-cookie: ([^;]+)/im.exec(head)?.[1] })
  }
}

/** The visitors of one server; they keep their sessions between rounds. */
export class Visitors {
  readonly #all: readonly Visitor[]

  constructor(port: number, counts: boolean) {
    this.#all = Array.from({ length: count }, () => new Visitor(port, counts))
  }

  /** Sends `requests` in total; call `connect` first. */
  async round(requests: number): Promise<void> {
    let left = requests
    await Promise.all(
      this.#all.map(async (visitor) => {
        while (left-- > 0) await visitor.visit()
      }),
    )
  }

  async connect(): Promise<void> {
    await Promise.all(this.#all.map((visitor) => visitor.connect()))
  }

  leave(): void {
    for (const visitor of this.#all) visitor.leave()
  }
}
