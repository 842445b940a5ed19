/** Tests the rows of rows.tsv that need several messages or connections. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { request, sending, startRecordingApplication } from './application.ts'

const keeping = (line: string, headers: readonly string[] = [], body = ''): string =>
  [`${line} HTTP/1.1`, 'Host: localhost', ...headers, '', body].join('\r\n')
const bodies = (answer: string): string[] =>
  answer
    .split(/HTTP\/1\.1 (?=\d{3} )/)
    .slice(1)
    .map((one) => one.slice(one.indexOf('\r\n\r\n') + 4))

/** Collects garbage, then returns the memory in use. */
function collect(): NodeJS.MemoryUsage {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage()
}

test('FR-04', async () => {
  const server = await startRecordingApplication()
  const first = keeping('POST /raw', ['Transfer-Encoding: ChuNKed'], '3\r\nabc\r\n0\r\n\r\n')
  const answer = await server.exchange(first + request('GET /posts/2'))
  expect(bodies(answer)).toEqual(['abc', '2'])
})

test('FR-19', async () => {
  const server = await startRecordingApplication()
  const client = await server.open()
  client.write(keeping('POST /raw', ['Content-Type: text/plain', 'Content-Length: 10']))
  await expect.poll(() => server.seen, { interval: 20 }).toContain('begun')
  client.write(`0123456789${request('GET /posts/2')}`)
  expect(bodies(await client.closed())).toEqual(['0123456789', '2'])
})

test('FR-20', async () => {
  const server = await startRecordingApplication()
  const paths = Array.from({ length: 49 }, (_, at) => keeping(`GET /posts/${at}`))
  const slow = keeping('POST /raw', ['Content-Type: text/plain', 'Content-Length: 4'], 'slow')
  const answer = await server.exchange(
    [...paths.slice(0, 25), slow, ...paths.slice(25), request('GET /posts/last')].join(''),
  )
  const expected = Array.from({ length: 49 }, (_, at) => String(at))
  expect(bodies(answer)).toEqual([...expected.slice(0, 25), 'slow', ...expected.slice(25), 'last'])
})

test('FR-20: each with its own session', async () => {
  const server = await startRecordingApplication()
  const answer = await server.exchange(keeping('GET /session').repeat(9) + request('GET /session'))
  expect(bodies(answer)).toEqual(Array.from({ length: 10 }, () => '1'))
  const ids = [...answer.matchAll(/^set-cookie: fw_session=([^;]+)/gim)].map((found) => found[1])
  expect(new Set(ids).size).toBe(10)
})

describe('FORM-02', () => {
  for (const path of ['/raw', '/echo', '/json'])
    test(path, async () => {
      const server = await startRecordingApplication()
      const client = await server.open()
      const types: Record<string, string> = {
        '/echo': 'application/x-www-form-urlencoded',
        '/json': 'application/json',
      }
      const type = types[path] ?? 'text/plain'
      client.write(keeping(`POST ${path}`, [`Content-Type: ${type}`, 'Transfer-Encoding: chunked']))
      const chunk = `400\r\n${'a'.repeat(1024)}\r\n`
      for (let sent = 0; sent < 1200 && !client.socket.destroyed; sent++) client.write(chunk)
      client.write('0\r\n\r\n')
      expect(await client.until('HTTP/1.1')).toMatch(/^HTTP\/1\.1 413/)
      expect(server.seen).not.toContain('raw')
      if (path === '/echo') expect(server.seen).toEqual([])
    })
})

test('FORM-04', async () => {
  const server = await startRecordingApplication()
  const client = await server.open()
  client.write(
    keeping('POST /echo', [
      'Content-Type: application/x-www-form-urlencoded',
      'Transfer-Encoding: chunked',
    ]),
  )
  const before = collect().arrayBuffers
  const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`
  for (let sent = 0; sent < 400 && !client.socket.destroyed; sent++) client.write(chunk)
  expect(await client.until('HTTP/1.1')).toMatch(/^HTTP\/1\.1 413/)
  // The client is in the same process and still holds a part of the 26 MB that it sends. The server reads only up to
  // its limit.
  expect(collect().arrayBuffers - before).toBeLessThan(12 * 2 ** 20)
})

test('FORM-07', async () => {
  const server = await startRecordingApplication()
  const client = await server.open()
  client.socket.end(
    keeping('POST /echo', [
      'Content-Type: application/x-www-form-urlencoded',
      'Content-Length: 100',
    ]) + 'a='.repeat(25),
  )
  const answer = await client.closed()
  expect(answer === '' || answer.startsWith('HTTP/1.1 400')).toBe(true)
  expect(server.seen).toEqual([])
})

test('MP-15', async () => {
  const server = await startRecordingApplication()
  const type = 'multipart/form-data; boundary=b'
  for (const body of [
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf',
    '--b\r\nContent-Dispo',
    '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b',
  ])
    expect(await server.exchange(sending('/upload', type, body))).toMatch(/^HTTP\/1\.1 400/)
})

// Row MP-09, a part without a name, is not among these: the server ignores such a part and reads the rest of the form.
test.each([
  ['of 500 kB', `X: ${'x'.repeat(500_000)}`],
  ['of blanks', `X:${' '.repeat(500_000)}`],
  ['of 500 kB without an end', `X: ${'x'.repeat(500_000)}\r\n--b`],
  ['of 20 lines', Array.from({ length: 20 }, (_, at) => `X${at}: 1`).join('\r\n')],
  ['of 20 lines of one name', Array.from({ length: 20 }, () => 'X: 1').join('\r\n')],
])('MP-04: a part header %s', async (_of, lines) => {
  const server = await startRecordingApplication()
  const body = `--b\r\nContent-Disposition: form-data; name="a"\r\n${lines}\r\n\r\n1\r\n--b--\r\n`
  expect(
    await server.exchange(sending('/upload', 'multipart/form-data; boundary=b', body)),
  ).toMatch(/^HTTP\/1\.1 400/)
})

test.each([
  ['MP-03', `${'x'.repeat(900_000)}\r\n--b--\r\n`],
  [
    'MP-06',
    `${'--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n\r\n'.repeat(10_000)}--b--\r\n`,
  ],
  ['MP-09', '--b\r\n\r\nno name\r\n--b--\r\n'],
])('%s', async (_id, body) => {
  const server = await startRecordingApplication()
  expect(
    await server.exchange(sending('/upload', 'multipart/form-data; boundary=b', body)),
  ).toMatch(/^HTTP\/1\.1 (200|400|413)/)
})

test.each([
  ['MP-07', '__proto__', '"__proto__":"1"'],
  ['MP-07 ', 'constructor', '"constructor":"1"'],
  ['MP-13', 'a\\\\a'.repeat(40), '"1"'],
  ['MP-22', 'a"\r\nContent-Transfer-Encoding: base64\r\nX: "', '"a":"1"'],
])('%s: %s', async (_id, name, expected) => {
  const server = await startRecordingApplication()
  const body = `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n1\r\n--b--\r\n`
  expect(
    await server.exchange(sending('/upload', 'multipart/form-data; boundary=b', body)),
  ).toContain(expected)
  expect(({} as Record<string, unknown>)['1']).toBeUndefined()
})

test.each(["UTF-8''%zz", "UTF-8''%ff", "utf-9''x", '"test\r\n foo.txt"'])(
  'MP-10, MP-12: filename*=%s',
  async (name) => {
    const server = await startRecordingApplication()
    const body = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"; filename*=${name}\r\n\r\n1\r\n--b--\r\n`
    const answer = await server.exchange(
      sending('/upload', 'multipart/form-data; boundary=b', body),
    )
    expect(answer).toMatch(/^HTTP\/1\.1 (200|400)/)
    if (answer.startsWith('HTTP/1.1 200'))
      expect(answer).not.toMatch(/[\r\n][^{]*"file":"[^"]*[\r\n]/)
  },
)

test('HDR-13, SLOW-08: the names of headers and parameters do not stay in memory', async () => {
  const server = await startRecordingApplication()
  const round = async (from: number): Promise<void> => {
    for (let at = from; at < from + 1000; at++) {
      const headers = { accept: `x/a${at}`, 'accept-language': `x-${at}`, [`x-a${at}`]: '1' }
      await server.app.fetch(new Request(`http://localhost/echo?k${at}=1`, { headers }))
      await server.app.fetch(new Request(`http://localhost/no/${at}`, { headers }))
    }
  }
  await round(0)
  const growths: number[] = []
  // Take the minimum of several rounds: other tests change the memory of this process in some of them, but a leak would
  // grow in all.
  for (let from = 1000; from < 4000; from += 1000) {
    const before = collect().heapUsed
    await round(from)
    growths.push(collect().heapUsed - before)
  }
  // Each of the 2000 requests may leave fewer than 500 bytes, so their names cannot all be in memory.
  expect(Math.min(...growths)).toBeLessThan(2 ** 20)
})
