/** Visitors of the application: each repeats journeys over pages, forms, JSON, uploads and requests that it aborts. */
import { Agent, request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface TrafficOptions {
  readonly port: number
  readonly visitors: number
  /** Requests a second of all visitors. */
  readonly rate: number
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Sent {
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
  /** The client disconnects after it has sent half of the body, or all, or received the first bytes. */
  readonly abort?: 'upload' | 'response' | 'download'
}

const file = Buffer.alloc(300_000, 'x')
const languages = ['de', 'en', 'fr;q=0.8, en', 'es-MX', 'pt-BR,pt;q=0.5']

function pick<T>(list: readonly T[]): T {
  return list[Math.floor(Math.random() * list.length)]!
}

export class Traffic {
  readonly #options: TrafficOptions
  /** Closes idle connections before the server does, which would fail a request. */
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 64, timeout: 3000 })
  readonly #waiting: (() => void)[] = []
  readonly statuses = new Map<string, number>()
  requests = 0
  #inFlight = 0
  #isPaused = false
  #isEnded = false
  #unique = 0

  constructor(options: TrafficOptions) {
    this.#options = options
  }

  /** Sends requests until `end`. */
  async run(): Promise<void> {
    const { visitors } = this.#options
    await Promise.all(Array.from({ length: visitors }, () => this.#visit()))
    this.#agent.destroy()
  }

  /** Resolves when no request is in flight. */
  async pause(): Promise<void> {
    this.#isPaused = true
    while (this.#inFlight > 0) await sleep(10)
  }

  resume(): void {
    this.#isPaused = false
    for (const continueVisitor of this.#waiting.splice(0)) continueVisitor()
  }

  end(): void {
    this.#isEnded = true
    this.resume()
  }

  async #visit(): Promise<void> {
    while (!this.#isEnded) await new Visitor(this).journey()
  }

  /** A text that no other request has sent. */
  unique(): string {
    return `${Date.now().toString(36)}-${(this.#unique++).toString(36)}`
  }

  count(what: string): void {
    this.statuses.set(what, (this.statuses.get(what) ?? 0) + 1)
  }

  /** Undefined for an aborted request, and after `end`. */
  async send(method: string, path: string, sent: Sent): Promise<Answer | undefined> {
    const { rate, visitors } = this.#options
    await sleep(Math.random() * 2000 * (visitors / rate))
    if (this.#isPaused) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    if (this.#isEnded) return undefined
    this.requests += 1
    this.#inFlight += 1
    try {
      return await this.#exchange(method, path, sent)
    } finally {
      this.#inFlight -= 1
    }
  }

  #exchange(method: string, path: string, sent: Sent): Promise<Answer | undefined> {
    const { headers, body, abort } = sent
    return new Promise((resolve) => {
      const client = request({
        host: '127.0.0.1',
        port: this.#options.port,
        method,
        path,
        agent: this.#agent,
        headers: { host: 'localhost', ...headers },
      })
      const leave = (): void => {
        client.destroy()
        this.count(`aborted ${abort}`)
        resolve(undefined)
      }
      client.on('error', (error) => {
        if (abort === undefined) this.count(`failed: ${error.message}`)
        resolve(undefined)
      })
      client.on('response', (response) => {
        if (abort === 'download') return leave()
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('end', () => {
          this.count(`${method} ${response.statusCode}`)
          resolve({ status: response.statusCode!, headers: response.headers, body: text })
        })
      })
      if (abort === 'upload') {
        client.setHeader('content-length', body!.length)
        client.write(body!.slice(0, body!.length / 2), leave)
      } else client.end(body, abort === 'response' ? leave : undefined)
    })
  }
}

/** A browser with its own cookies. */
class Visitor {
  readonly #traffic: Traffic
  readonly #language = pick(languages)
  readonly #cookies = new Map<string, string>()
  #token = ''

  constructor(traffic: Traffic) {
    this.#traffic = traffic
  }

  async journey(): Promise<void> {
    await this.#send('GET', '/')
    await this.#send('GET', `/notes?q=${this.#traffic.unique()}`)
    await this.#send('GET', '/notes/new')
    const created = await this.#form('/notes', {
      title: this.#traffic.unique(),
      body: 'A note\n'.repeat(50),
    })
    const path = created?.headers.location
    if (path !== undefined) await this.#useNote(path)
    await this.#form('/notes', { title: '', body: '' })
    await this.#send('GET', `/${this.#traffic.unique()}`)
    await this.#upload(pick(['small', 'large']))
    await this.#abort(pick(['upload', 'response', 'download']))
  }

  async #useNote(path: string): Promise<void> {
    await this.#send('GET', path)
    await this.#send('GET', `${path}.json`)
    await this.#send('GET', '/notes.xml?size=5')
    const json = JSON.stringify({ title: this.#traffic.unique(), body: 'changed' })
    await this.#send('PATCH', `${path}.json`, {
      headers: { 'content-type': 'application/json', 'x-csrf-token': this.#token },
      body: json,
    })
    await this.#send('GET', `${path}/edit`)
    await this.#form(path, { title: this.#traffic.unique(), body: 'changed again' })
    await this.#form(`${path}?_method=DELETE`, {})
  }

  #form(path: string, fields: Readonly<Record<string, string>>): Promise<Answer | undefined> {
    const body = new URLSearchParams({ 'csrf-token': this.#token, ...fields }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return this.#send('POST', path, { headers, body })
  }

  #multipart(size: number): Sent {
    const opening = `--B\r\nContent-Disposition: form-data; name="csrf-token"\r\n\r\n${this.#token}\r\n--B\r\nContent-Disposition: form-data; name="file"; filename="${this.#traffic.unique()}"\r\nContent-Type: text/plain\r\n\r\n`
    const body = Buffer.concat([
      Buffer.from(opening),
      file.subarray(0, size),
      Buffer.from('\r\n--B--\r\n'),
    ])
    return { headers: { 'content-type': 'multipart/form-data; boundary=B' }, body }
  }

  /** A large file goes to disk. */
  async #upload(kind: 'small' | 'large'): Promise<void> {
    await this.#send('POST', '/uploads', this.#multipart(kind === 'small' ? 1000 : file.length))
  }

  async #abort(abort: NonNullable<Sent['abort']>): Promise<void> {
    const isUpload = abort === 'upload'
    const sent = isUpload ? this.#multipart(file.length) : {}
    await this.#send(isUpload ? 'POST' : 'GET', isUpload ? '/uploads' : '/notes', {
      ...sent,
      abort,
    })
  }

  async #send(method: string, path: string, sent: Sent = {}): Promise<Answer | undefined> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = {
      'accept-language': this.#language,
      'sec-fetch-site': 'same-origin',
      ...(cookie === '' ? {} : { cookie }),
      ...sent.headers,
    }
    const answer = await this.#traffic.send(method, path, { ...sent, headers })
    for (const line of answer?.headers['set-cookie'] ?? []) {
      const [name, value] = line.split(';', 1)[0]!.split(/=(.*)/s)
      this.#cookies.set(name!, value!)
    }
    this.#token =
      /name="csrf-token" (?:content|value)="([^"]+)"/.exec(answer?.body ?? '')?.[1] ?? this.#token
    return answer
  }
}
