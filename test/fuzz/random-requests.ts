/** Generates random requests, some of them malicious. The same seed generates the same requests. */
import type { BodySource, HttpRequest } from '../../src/runtime/http.ts'

const methods = [
  'GET',
  'GET',
  'GET',
  'HEAD',
  'POST',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'QUERY',
  'TRACE',
  'PROPFIND',
  'get',
  '',
]
const segments = [
  'members',
  'files',
  'api',
  'micro',
  'r',
  'new',
  '1',
  '2',
  '-1',
  '9007199254740993',
  'edit',
  'json',
  'a.json',
  'a.xml',
  'WEB-INF',
  '.git',
  '..',
  '.',
  '%2e%2e',
  '%2F',
  '%2f',
  '%00',
  '%',
  '%ff',
  '%C3%B6',
  'ö',
  '+',
  ';a=b',
  '*',
  ':id',
  '\\',
  '%5C',
  '\u0000',
  'constructor',
  '__proto__',
  'a'.repeat(300),
]
const keys = [
  'id',
  'ids[]',
  'name',
  'page',
  'format',
  '_method',
  'csrf-token',
  '__proto__',
  'constructor',
  'birthdayYear',
  'birthday',
  '',
  '%',
  'a[b]',
  'toString',
]
const values = [
  '',
  '1',
  '-1',
  '1e999',
  'NaN',
  'true',
  '2000-02-30',
  '2000-01-02',
  'json',
  'xml',
  'exe',
  'delete',
  '%ff',
  '%',
  '%00',
  '<script>',
  '"',
  'ö',
  '%F0%9F%92%A9',
  "'; DROP TABLE members--",
  'x'.repeat(2000),
]
const types = [
  'application/x-www-form-urlencoded',
  'application/json',
  'multipart/form-data; boundary=B',
  'multipart/form-data',
  'text/plain',
  'text/plain; charset=klingon',
  'application/json; charset=utf-16',
  ';',
  'a/b; boundary="',
]
const accepts = [
  '*/*',
  'text/html',
  'application/json',
  'application/xml;q=0.5, text/html;q=0.4',
  'image/*',
  ';q=x',
  'a'.repeat(500),
  ',,,,',
  'text/html;q=0',
]
const bodies = [
  '',
  'name=Ann&birthday=2000-01-02',
  'a=%ff',
  '{"name":"Ann"}',
  '{"__proto__":{"x":1}}',
  '['.repeat(2000),
  '{"a":',
  '--B\r\nContent-Disposition: form-data; name="file"; filename="../a"\r\n\r\nx\r\n--B--\r\n',
  '--B\r\n\r\n',
  '\u0000\u0001',
  'x'.repeat(5000),
]
const names = [
  'accept',
  'accept-language',
  'cookie',
  'origin',
  'sec-fetch-site',
  'content-encoding',
  'if-none-match',
  'range',
  'x-requested-with',
  'x-csrf-token',
  'x-forwarded-for',
  'accept-encoding',
]
const headerValues = [
  '',
  '*',
  'null',
  'https://else.example',
  'http://localhost',
  'cross-site',
  'same-origin',
  'fw_session=x',
  '__Host-fw=%00; a=b; a',
  'gzip',
  'bytes=0-',
  'bytes=-1,5-',
  'W/"x"',
  'de-CH, en;q=x',
  ','.repeat(300),
]

export type Random = () => number

/** Returns a random number generator (mulberry32). The same seed gives the same numbers. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const times = (random: Random, most: number): number[] => [
  ...Array(Math.floor(random() * (most + 1))).keys(),
]
const one = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)]!

function bodyOf(text: string, random: Random): BodySource {
  const bytes = new TextEncoder().encode(text)
  return {
    declaredLength: random() < 0.8 ? bytes.length : undefined,
    isEmpty: bytes.length === 0,
    bytes: async () => bytes,
    stream: () => new Blob([bytes]).stream(),
    consume: async (_limit, take) => take(bytes),
  }
}

const friendly = [
  '/',
  '/members',
  '/members/',
  '/members/1',
  '/members/-1',
  '/members/x.json',
  '/members?page=2',
  '/api/1',
  '/api/a/b',
  '/r/x',
  '/micro',
  '/micro/1',
  '/micro/a.b',
  '/files/',
  '/files/a/b',
  '/open/x?ids[]=1&ids[]=2',
  '/a.json',
]

function targetOf(random: Random): string {
  if (random() < 0.5) return one(random, friendly)
  const path =
    times(random, 4)
      .map(() => `/${one(random, segments)}`)
      .join('') || '/'
  const query = times(random, 3)
    .map(() => `${one(random, keys)}=${one(random, values)}`)
    .join(one(random, ['&', '&', '&&', ';']))
  return query === '' && random() < 0.8 ? path : `${path}?${query}`
}

/** Returns a random request. It may be invalid, as from a container that does not validate requests. */
export function randomRequest(random: Random): HttpRequest {
  const headers = new Map(
    times(random, 4).map(() => [one(random, names), one(random, headerValues)]),
  )
  if (random() < 0.5) headers.set('accept', one(random, accepts))
  const body = random() < 0.4 ? one(random, bodies) : ''
  if (body !== '') headers.set('content-type', one(random, types))
  return {
    method: one(random, methods),
    target: targetOf(random),
    mountPath: '',
    httpVersion: '1.1',
    scheme: 'http',
    host: one(random, ['localhost', '', 'else.example:1']),
    remoteAddress: '127.0.0.1',
    body: bodyOf(body, random),
    signal: new AbortController().signal,
    aborted: false,
    header: (name) => headers.get(name),
    headers: () => headers,
  }
}
