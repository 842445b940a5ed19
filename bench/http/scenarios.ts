/** The routes of every measured server: thirty in ten controllers, five of them requested. */

/** A request that is sent repeatedly, with the expected response. */
export interface Scenario {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly type?: string
  readonly body?: string
  readonly answer: string
}

/** The text of the plain response. */
export const greeting = 'Hello, World!'

const person = JSON.stringify({ name: 'Ada Lovelace', born: 1815, languages: ['en', 'fr'] })

/** In the order of measurement. */
export const scenarios: readonly Scenario[] = [
  { name: 'plaintext', method: 'GET', path: '/plaintext', answer: greeting },
  { name: 'json', method: 'GET', path: '/json', answer: JSON.stringify({ message: greeting }) },
  { name: 'param', method: 'GET', path: '/users/1234?q=abc', answer: '1234 abc' },
  {
    name: 'post json',
    method: 'POST',
    path: '/json',
    type: 'application/json',
    body: person,
    answer: person,
  },
  {
    name: 'post form',
    method: 'POST',
    path: '/form',
    type: 'application/x-www-form-urlencoded',
    body: 'name=Ada+Lovelace&email=ada%40example.com&city=London&country=GB&note=first',
    answer: 'Ada Lovelace,ada@example.com,London,GB,first',
  },
]

/** The fields of the form, in the order of the response. */
export const formFields = ['name', 'email', 'city', 'country', 'note'] as const

/** Eight controllers that are not requested, with three routes each: `/x`, `/x/:id` and POST `/x`. */
export const others: readonly string[] = Array.from({ length: 8 }, (_, i) => `/area${i}`)

/** Formats the request as bytes; `postHeaders` are further header lines of a POST. */
export function requestText(
  { method, path, type, body = '' }: Scenario,
  postHeaders: string,
): string {
  const content =
    type === undefined ? '' : `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n`
  return (
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: fw-bench\r\nAccept: */*\r\n` +
    `${content}${method === 'POST' ? postHeaders : ''}\r\n${body}`
  )
}
