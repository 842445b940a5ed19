/**
 * A client of the example application over HTTP. It keeps cookies, and sends forms with the CSRF token of the last
 * page.
 */
import { request, type OutgoingHttpHeaders } from 'node:http'
import { parse } from 'node-html-parser'

export interface Answer {
  readonly status: number
  readonly location: string | undefined
  readonly body: string
}

export class ExampleVisitor {
  readonly #url: string
  #cookie = ''
  #token = ''

  constructor(url: string) {
    this.#url = url
  }

  async get(path: string): Promise<Answer> {
    const answer = await this.#send('GET', path, {})
    const token = parse(answer.body).querySelector('meta[name="csrf-token"]')
    this.#token = token?.getAttribute('content') ?? this.#token
    return answer
  }

  /** Sends a form. Call `get` first: it reads the CSRF token from a page. */
  post(path: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
    const body = new URLSearchParams({ 'csrf-token': this.#token, ...fields }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return this.#send('POST', path, { ...headers, 'content-length': body.length }, body)
  }

  /** Returns the texts of the elements of a page that match the selector. */
  async all(path: string, selector: string): Promise<string[]> {
    const page = parse((await this.get(path)).body)
    return page.querySelectorAll(selector).map((element) => element.text.trim())
  }

  /** Sends a request on a new connection. `fetch` has a connection pool, which would hide a broken connection. */
  #send(method: string, path: string, headers: OutgoingHttpHeaders, body = ''): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request(new URL(path, this.#url), {
        method,
        headers: { ...headers, ...(this.#cookie === '' ? {} : { cookie: this.#cookie }) },
        agent: false,
      })
      sent.once('error', reject)
      sent.once('response', (response) => {
        const [cookie] = response.headers['set-cookie'] ?? []
        if (cookie !== undefined) this.#cookie = cookie.split(';', 1)[0]!
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.once('error', reject)
        response.once('end', () =>
          resolve({
            status: response.statusCode!,
            location: response.headers.location,
            body: text,
          }),
        )
      })
      sent.end(body)
    })
  }
}
