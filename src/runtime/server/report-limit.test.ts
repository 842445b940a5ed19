/** The log names the setting by which the server has ended a request or a connection. */
import { expect, test } from 'vitest'
import { silentLogger, type LogFields } from '../base.ts'
import { HttpResponse, type HttpRequest } from '../http.ts'
import { get, post, serve } from './raw-client.fixture.ts'
import type { ReportedLimit } from './report-limit.ts'
import type { ServerSettings } from './server-settings.ts'

/** A logger that resolves `first` with its first warning, and keeps all of them in `lines`. */
function recordWarnings() {
  const lines: (readonly [LogFields, string])[] = []
  const first = Promise.withResolvers<void>()
  const warn = (fields: LogFields, message: string): void => {
    lines.push([fields, message])
    first.resolve()
  }
  return { lines, first: first.promise, logger: { ...silentLogger, warn } }
}

const mebibyte = 2 ** 20

async function handle({ target, body }: HttpRequest): Promise<HttpResponse> {
  if (target === '/early') return new HttpResponse(200, 'before the body')
  await body.bytes(mebibyte)
  // Several times the buffers of a connection.
  return new HttpResponse(200, target === '/large' ? Buffer.alloc(64 * mebibyte) : 'small')
}

const unfinished = post('/', 'body').slice(0, -1)
const unfinishedEarly = post('/early', 'body').slice(0, -1)

test.each<readonly [ReportedLimit, ServerSettings, texts: readonly string[]]>([
  ['maxTargetLength', { maxTargetLength: 8 }, [get('/123456789')]],
  ['maxHeaders', { maxHeaders: 2 }, [get('/', 'A: 1\r\nB: 1\r\n')]],
  ['maxHeaderBytes', { maxHeaderBytes: 256 }, [get('/', `A: ${'a'.repeat(300)}\r\n`)]],
  ['headersTimeout', { headersTimeout: 50 }, ['GET / HTTP/1.1\r\n']],
  ['requestTimeout', { headersTimeout: 50, requestTimeout: 100 }, [unfinished]],
  ['requestTimeout', { headersTimeout: 50, requestTimeout: 100 }, [unfinishedEarly]],
  ['minBodyRate', { minBodyRate: mebibyte }, [unfinished]],
  ['minWriteRate', { writeTimeout: 500 }, [get('/large')]],
  ['maxConnections', { maxConnections: 1 }, ['', '']],
])('%s', async (limit, settings, texts) => {
  const { lines, first, logger } = recordWarnings()
  await using app = await serve(handle, { ...settings, logger })
  for (const text of texts) {
    const client = await app.open()
    if (limit === 'minWriteRate') client.socket.pause()
    client.write(text)
  }
  await first
  expect(lines).toEqual([
    [{ code: `server.${limit}`, count: 1 }, expect.stringContaining(`server.${limit}`)],
  ])
})

test('a connection on which nothing was sent is closed without a line', async () => {
  const { lines, logger } = recordWarnings()
  await using app = await serve(handle, { headersTimeout: 50, logger })
  const silent = await app.open()
  expect(await silent.closed()).toContain('408')
  expect(lines).toEqual([])
})
