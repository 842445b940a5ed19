/** A browser: one kept connection, its cookies and the token of its forms. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { emailOf, rows, type Dialect, type Page } from './pages.ts'

export interface Answer {
  readonly status: number
  readonly head: string
  readonly body: string
}

const addressHeader = 'X-Forwarded-For: 10.0.0.0'
let addresses = 0

/** Returns the request with the next client address. */
function fromNewAddress(request: string): string {
  const number = (addresses += 1)
  const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
  return request.replace(addressHeader, `X-Forwarded-For: ${address}`)
}

export class Visitor {
  readonly #port: number
  readonly #dialect: Dialect
  readonly #id: number
  readonly #cookies = new Map<string, string>()
  #token = ''
  #socket: Socket | undefined
  #received = ''
  #settle: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined

  constructor(port: number, dialect: Dialect, number: number) {
    this.#port = port
    this.#dialect = dialect
    this.#id = (number % rows) + 1
  }

  async connect(): Promise<void> {
    this.#received = ''
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    socket.setEncoding('latin1').on('data', (text) => this.#receive(String(text)))
    socket.on('error', (error) => this.#settle?.reject(error))
    socket.on('close', () => this.#settle?.reject(new Error('the server closed the connection')))
    await once(socket, 'connect')
    this.#socket = socket
  }

  leave(): void {
    this.#settle = undefined
    this.#socket?.destroy()
  }

  /** Requests the form, and creates a member, which begins a session; then keeps the session's token. */
  async enter(create: Page, form: Page): Promise<void> {
    await this.open(form)
    await this.open(create)
    await this.open(form)
  }

  /** Requests the page, keeps its cookies and its token. */
  async open(page: Page): Promise<Answer> {
    const answer = await this.send(this.requestFor(page))
    this.#keep(answer)
    if (answer.status !== 302) return answer
    const landed = await this.send(this.#get(locationOf(answer)))
    this.#keep(landed)
    return landed
  }

  /** The bytes of the page's request. */
  requestFor(page: Page, token = this.#token): string {
    const path = page.path(this.#dialect, this.#id)
    if (page.form === undefined) return this.#get(path, page.isPrivate)
    const own =
      page.isLogin === true ? { email: emailOf(this.#id) } : { [this.#dialect.token]: token }
    const body = new URLSearchParams({ ...page.form, ...own }).toString()
    return (
      `POST ${path} HTTP/1.1\r\n${this.#headers(page.isPrivate)}` +
      (page.isLogin === true ? `Sec-Fetch-Site: same-origin\r\n${addressHeader}\r\n` : '') +
      `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    )
  }

  /** Sends the page's request, and follows its redirect. Throws on another status than the page's. */
  async visit(page: Page, request: string): Promise<void> {
    const answer = await this.send(page.isLogin === true ? fromNewAddress(request) : request)
    if (answer.status !== page.status)
      throw new Error(`${page.name} was answered with\n${answer.head}\n${answer.body}`)
    if (answer.status === 302) await this.send(this.#get(locationOf(answer)))
  }

  send(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#socket!.write(request, 'latin1')
    })
  }

  #get(path: string, isPrivate = true): string {
    return `GET ${path} HTTP/1.1\r\n${this.#headers(isPrivate)}\r\n`
  }

  #headers(isPrivate: boolean): string {
    const accept = isPrivate ? 'text/html,application/xhtml+xml,*/*;q=0.8' : '*/*'
    const cookies = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return (
      `Host: localhost\r\nUser-Agent: fw-bench\r\nAccept: ${accept}\r\n` +
      (isPrivate && cookies !== '' ? `Cookie: ${cookies}\r\n` : '')
    )
  }

  #keep({ head, body }: Answer): void {
    for (const [, name, value] of head.matchAll(/^set-cookie: ([^=]+)=([^;\r]*)/gim)) {
      if (value === '') this.#cookies.delete(name!)
      else this.#cookies.set(name!, value!)
    }
    const input = new RegExp(`name=["']${this.#dialect.token}["'] value=["']([^"']+)`).exec(body)
    if (input !== null) this.#token = input[1]!
  }

  #receive(text: string): void {
    this.#received += text
    const end = this.#received.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = this.#received.slice(0, end)
    const length = /^content-length: (\d+)/im.exec(head)?.[1]
    const isComplete =
      length === undefined
        ? this.#received.endsWith('\r\n0\r\n\r\n')
        : this.#received.length >= end + 4 + Number(length)
    if (!isComplete) return
    const body = this.#received.slice(end + 4)
    this.#received = ''
    const settle = this.#settle
    this.#settle = undefined
    settle?.resolve({ status: Number(head.slice(9, 12)), head, body })
  }
}

const locationOf = ({ head }: Answer): string => {
  const location = /^location: (.+?)\r?$/im.exec(head)![1]!
  return location.startsWith('/') ? location : new URL(location).pathname
}
