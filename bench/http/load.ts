/** Generates load over raw sockets: one in-flight request per connection, responses counted by their length. */
import { connect, type Socket } from 'node:net'

const connections = 32

/** Returns the complete first response to `request`. */
export function firstAnswer(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (!isComplete(text)) return
      socket.destroy()
      resolve(text)
    })
    socket.write(request)
  })
}

function isComplete(text: string): boolean {
  const head = text.indexOf('\r\n\r\n')
  if (head === -1) return false
  const length = /^content-length: (\d+)$/im.exec(text.slice(0, head))?.[1]
  return length === undefined
    ? text.endsWith('\r\n0\r\n\r\n')
    : text.length >= head + 4 + Number(length)
}

/** Sends its request again after each response; all responses have the same length. */
class Connection {
  answered = 0
  #received = 0
  #running = false
  #idle: () => void = () => {}
  readonly #socket: Socket
  readonly #request: Buffer
  readonly #length: number

  constructor(socket: Socket, request: string, length: number) {
    this.#socket = socket
    this.#request = Buffer.from(request, 'latin1')
    this.#length = length
    socket.on('data', (chunk) => this.#receive(chunk.length))
  }

  start(): void {
    this.#running = true
    this.#socket.write(this.#request)
  }

  stop(): Promise<void> {
    this.#running = false
    return new Promise((resolve) => {
      this.#idle = resolve
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #receive(bytes: number): void {
    this.#received += bytes
    if (this.#received < this.#length) return
    if (this.#received > this.#length) throw new Error('an answer is longer than the first one')
    this.#received = 0
    this.answered += 1
    if (this.#running) this.#socket.write(this.#request)
    else this.#idle()
  }
}

/** The connections to one server. */
export class Load {
  readonly #connections: readonly Connection[]

  private constructor(all: readonly Connection[]) {
    this.#connections = all
  }

  static async to(port: number, request: string): Promise<Load> {
    const { length } = await firstAnswer(port, request)
    const sockets = await Promise.all(Array.from({ length: connections }, () => connected(port)))
    return new Load(sockets.map((socket) => new Connection(socket, request, length)))
  }

  start(): void {
    for (const one of this.#connections) one.start()
  }

  /** Resolves when every request has its response. */
  async stop(): Promise<void> {
    await Promise.all(this.#connections.map((one) => one.stop()))
  }

  /** The number of responses. */
  get answered(): number {
    return this.#connections.reduce((sum, one) => sum + one.answered, 0)
  }

  close(): void {
    for (const one of this.#connections) one.close()
  }
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.once('error', reject)
    socket.once('connect', () => resolve(socket))
  })
}
