import { describe, expect, test } from 'vitest'
import { HttpError, silentLogger } from '../base.ts'
import type { HttpRequest } from '../http.ts'
import { HttpResponse, ResponseHeaders } from '../http.ts'
import { HttpServer } from './http-server.ts'
import { close, get, post, modes, RawClient } from './raw-client.fixture.ts'

describe.each(modes)('%s', (_mode, serve) => {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

  /** `open`, or the code of the error. */
  const connectResult = (port: number): Promise<string> =>
    RawClient.open(port).then(
      ({ socket }) => {
        socket.destroy()
        return 'open'
      },
      (error: unknown) => (error as NodeJS.ErrnoException).code ?? 'unknown',
    )

  function deferred<T = void>() {
    return Promise.withResolvers<T>()
  }

  test('a text response: one write, Content-Length, a kept connection, no Keep-Alive header', async () => {
    await using app = await serve(
      () => new HttpResponse(200, 'hé', new ResponseHeaders(['Content-Type', 'text/plain'])),
    )
    const client = await app.open()
    client.write(get('/'))
    const answer = await client.until('hÃ©')
    expect(answer).toMatch(
      /^HTTP\/1\.1 200 OK\r\nContent-Type: text\/plain\r\nContent-Length: 3\r\nConnection: keep-alive\r\nDate: [^\r]+\r\n\r\n/,
    )
    client.write(get('/', close))
    expect(await client.closed()).toContain('Connection: close')
  })

  test('the request has the values that the client sent', async () => {
    let seen: HttpRequest | undefined
    let remoteAddress: string | undefined
    await using app = await serve((request) => {
      seen = request
      remoteAddress = request.remoteAddress
      return new HttpResponse(204)
    })
    await app.exchange(
      get(
        '/a%2Fb?c=1&c=2',
        `X-A: 1\r\nX-A: 2\r\nCookie: a=1\r\nCookie: b=2\r\nX-Forwarded-For: 9.9.9.9\r\nX-Forwarded-Proto: https\r\n${close}`,
      ),
    )
    expect(seen).toMatchObject({
      method: 'GET',
      target: '/a%2Fb?c=1&c=2',
      httpVersion: '1.1',
      scheme: 'http',
      host: 'localhost',
      mountPath: '',
    })
    expect(remoteAddress).toBe('127.0.0.1')
    expect(seen!.header('x-a')).toBe('1, 2')
    expect(seen!.header('cookie')).toBe('a=1; b=2')
    expect(seen!.header('constructor')).toBeUndefined()
    expect(seen!.header('__proto__')).toBeUndefined()
    expect([...seen!.headers()].slice(0, 3)).toEqual([
      ['host', 'localhost'],
      ['x-a', '1'],
      ['x-a', '2'],
    ])
    expect(seen!.body.isEmpty).toBe(true)
  })

  test('50 pipelined requests are answered in order, with slow ones among them', async () => {
    await using app = await serve((request) => {
      const answer = new HttpResponse(200, `<${request.target}>`)
      return request.target.endsWith('7')
        ? new Promise((done) => setImmediate(() => done(answer)))
        : answer
    })
    const all = Array.from({ length: 50 }, (_, i) => get(`/${i}`, i === 49 ? close : '')).join('')
    const answer = await app.exchange(all)
    expect([...answer.matchAll(/<\/(\d+)>/g)].map((match) => Number(match[1]))).toEqual(
      Array.from({ length: 50 }, (_, i) => i),
    )
  })

  test('a pipelined request that expects 100 Continue waits for the requests before it', async () => {
    const handled: string[] = []
    await using app = await serve((request) => {
      handled.push(request.target)
      return new HttpResponse(200, `<${request.target}>`)
    })
    const expecting = post('/second', 'x', `Expect: 100-continue\r\n${close}`)
    expect(await app.exchange(get('/first') + expecting)).toMatch(/<\/first>[^]*<\/second>$/)
    expect(handled).toEqual(['/first', '/second'])
    const refused = get('/', 'Host: other\r\n')
    expect(await app.exchange(refused + expecting)).toMatch(/^HTTP\/1\.1 400 /)
    expect(handled).toEqual(['/first', '/second'])
  })

  test('HEAD has the headers of GET and no body; 204, 205 and 304 have no body', async () => {
    await using app = await serve(
      (request) => new HttpResponse(Number(request.target.slice(1)), 'body'),
    )
    const head = await app.exchange(`HEAD /200 HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`)
    expect(head).toContain('Content-Length: 4')
    expect(head).not.toContain('body')
    for (const status of ['204', '205', '304'])
      expect(await app.exchange(get(`/${status}`, close))).toMatch(/\r\n\r\n$/)
  })

  test('a wrong Content-Length of the application is corrected; hop-by-hop headers are dropped', async () => {
    await using app = await serve(() => {
      const headers = new ResponseHeaders([
        'content-length',
        '99',
        'Connection',
        'x-secret',
        'X-Secret',
        '1',
        'Transfer-Encoding',
        'chunked',
        'Keep-Alive',
        'a',
        'X-B',
        '2',
      ])
      return new HttpResponse(200, 'abc', headers)
    })
    const answer = await app.exchange(get('/', close))
    expect(answer).toContain('Content-Length: 3\r\n')
    expect(answer).toContain('X-B: 2')
    expect(answer).not.toMatch(/secret|chunked|Keep-Alive|99/)
  })

  test('the reason is sent, unless it contains a line break', async () => {
    await using app = await serve((request) => {
      const response = new HttpResponse(403, 'no')
      response.reason = request.target === '/bad' ? 'a\r\nX-Evil: 1' : 'Keep Out'
      return response
    })
    expect(await app.exchange(get('/', close))).toMatch(/^HTTP\/1\.1 403 Keep Out\r\n/)
    expect(await app.exchange(get('/bad', close))).not.toContain('Evil')
  })

  test('every write path sends the phrases of RFC 9110, and none for an unknown status', async () => {
    await using app = await serve(({ target }) => new HttpResponse(Number(target.slice(1)), 'x'))
    for (const [status, phrase] of [
      [413, 'Content Too Large'],
      [422, 'Unprocessable Content'],
      [299, ''],
    ] as const) {
      const client = await app.open()
      client.write(get(`/${status}`))
      const line = `HTTP/1.1 ${status} ${phrase}\r\n`
      expect((await client.until('\r\n\r\nx')).startsWith(line)).toBe(true)
      client.write(get(`/${status}`, close))
      expect((await client.closed()).split('\r\n\r\nx').at(-2)).toContain(line)
    }
  })

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a symbol', Symbol('x')],
    ['a frozen object', Object.freeze({})],
    [
      'an error whose message throws',
      Object.defineProperty(new Error(), 'message', {
        get() {
          throw new Error('bomb')
        },
      }),
    ],
  ])('%s thrown or rejected is a 500 without a stack', async (_name, thrown) => {
    const later = async (): Promise<HttpResponse> => {
      throw thrown
    }
    await using app = await serve((request) => {
      if (request.target === '/throw') throw thrown
      return later()
    })
    for (const path of ['/throw', '/reject']) {
      const answer = await app.exchange(get(path, close))
      expect(answer).toMatch(/^HTTP\/1\.1 500 Internal Server Error\r\n/)
      expect(answer).toMatch(/\r\n\r\nInternal Server Error\n$/)
    }
  })

  test('an HttpError is answered with its status; a missing response, an invalid status or header is a 500', async () => {
    await using app = await serve((request) => {
      switch (request.target) {
        case '/teapot':
          throw new HttpError(418, 'db.unavailable', 'short and stout')
        case '/nothing':
          return undefined as unknown as HttpResponse
        case '/status':
          return new HttpResponse(1000, 'x')
        default:
          return new HttpResponse(200, 'x', new ResponseHeaders(['X-A', 'a\r\nb']))
      }
    })
    expect(await app.exchange(get('/teapot', close))).toMatch(
      /^HTTP\/1\.1 418 [^]*short and stout\n$/,
    )
    for (const path of ['/nothing', '/status', '/header']) {
      expect(await app.exchange(get(path, close))).toMatch(/^HTTP\/1\.1 500 /)
    }
  })

  test('a body is read completely, once, within its limit: declared and chunked', async () => {
    await using app = await serve(
      async (request) => new HttpResponse(200, text(await request.body.bytes(10))),
    )
    expect(await app.exchange(post('/', '0123456789', close))).toMatch(/\r\n\r\n0123456789$/)
    const chunked = (body: string) =>
      `POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n${close}\r\n${[...body].map((each) => `1\r\n${each}\r\n`).join('')}0\r\n\r\n`
    expect(await app.exchange(chunked('0123456789'))).toContain('0123456789')
    expect(await app.exchange(chunked('0123456789a'))).toMatch(
      /^HTTP\/1\.1 413 [^]*larger than 10 bytes/,
    )
    expect(await app.exchange(post('/', '0123456789a', close))).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('a declared length over the limit is rejected before the body arrives, without 100 Continue', async () => {
    await using app = await serve(
      async (request) => new HttpResponse(200, text(await request.body.bytes(10))),
    )
    const head = (length: number) =>
      `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`
    const refused = await app.open()
    refused.write(head(2_000_000_000))
    expect(await refused.until('\r\n\r\n')).toMatch(/^HTTP\/1\.1 413 [^]*Connection: close/)
    refused.socket.destroy()
    const served = await app.open()
    served.write(head(3))
    expect(await served.until('\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    served.write('abc')
    expect(await served.until('abc')).toContain('200 OK')
    served.socket.destroy()
  })

  test('an early response reaches a client that is still sending', async () => {
    await using app = await serve(() => new HttpResponse(403, 'no'))
    const client = await app.open()
    client.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3000000\r\n\r\n')
    for (let i = 0; i < 30; i++) client.write('x'.repeat(100_000))
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 403 [^]*no$/)
  })

  test('a small unread body does not end the connection', async () => {
    await using app = await serve((request) => new HttpResponse(200, `<${request.target}>`))
    expect(await app.exchange(post('/a', 'unread') + get('/b', close))).toMatch(/<\/a>[^]*<\/b>$/)
  })

  test.each([
    [64 * 1024, 'keep-alive'],
    [64 * 1024 + 1, 'close'],
  ])('an unread body of %i bytes: Connection: %s', async (length, connection) => {
    await using app = await serve(() => new HttpResponse(200, 'early'))
    const client = await app.open()
    client.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`)
    expect(await client.until('early')).toContain(`\r\nConnection: ${connection}\r\n`)
  })

  test('a body can be streamed once, within its limit', async () => {
    await using app = await serve(async (request) => {
      let total = 0
      for await (const chunk of request.body.stream(1_000_000)) total += chunk.byteLength
      await expect(request.body.bytes(10)).rejects.toMatchObject({ code: 'http.body-consumed' })
      return new HttpResponse(200, String(total))
    })
    expect(await app.exchange(post('/', 'x'.repeat(300_000), close))).toMatch(/\r\n\r\n300000$/)
    const chunk = `${(100_000).toString(16)}\r\n${'x'.repeat(100_000)}\r\n`
    expect(
      await app.exchange(
        `POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(11)}0\r\n\r\n`,
      ),
    ).toMatch(/^HTTP\/1\.1 413/)
  })

  test('a client that disconnects midway: the body rejects and the signal aborts', async () => {
    const outcome = deferred<unknown>()
    const begun = deferred<AbortSignal>()
    await using app = await serve(async (request) => {
      begun.resolve(request.signal)
      await request.body.bytes(1000).catch((error: unknown) => outcome.resolve(error))
      return new HttpResponse()
    })
    const client = await app.open()
    client.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc')
    const signal = await begun.promise
    expect(signal.aborted).toBe(false)
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
    client.socket.destroy()
    await aborted
    expect(await outcome.promise).toMatchObject({ status: 499, code: 'http.body-aborted' })
  })

  test('a handler that exceeds its time limit is cancelled: 503, and its signal aborts', async () => {
    const reason = deferred<unknown>()
    await using app = await serve(
      (request) => {
        request.signal.addEventListener('abort', () => reason.resolve(request.signal.reason))
        return new Promise(() => {})
      },
      { handlerTimeout: 30 },
    )
    expect(await app.exchange(get('/', close))).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After/)
    expect(await reason.promise).toMatchObject({ code: 'server.handler-timeout' })
  })

  test('streams: chunked, or with the declared length', async () => {
    await using app = await serve((request) => {
      async function* parts() {
        yield 'a'
        yield Buffer.from('b')
        yield ''
        yield 'c'
      }
      if (request.target === '/web') return new HttpResponse(200, new Blob(['abc']).stream())
      return new HttpResponse(
        200,
        parts(),
        new ResponseHeaders(request.target === '/length' ? ['Content-Length', '3'] : []),
      )
    })
    expect(await app.exchange(get('/', close))).toMatch(
      /chunked[^]*a(\r\n1\r\n)?b(\r\n1\r\n)?c\r\n0\r\n\r\n$/,
    )
    expect(await app.exchange(get('/web', close))).toContain('3\r\nabc\r\n')
    expect(await app.exchange(get('/length', close))).toMatch(
      /Content-Length: 3\r\n[^]*\r\n\r\nabc$/,
    )
  })

  test('a stream that fails, or differs from its declared length, cuts the connection', async () => {
    await using app = await serve((request) => {
      async function* parts() {
        yield 'begun'
        if (request.target === '/fail') throw new Error('broken')
      }
      return new HttpResponse(
        200,
        parts(),
        new ResponseHeaders(
          request.target === '/fail'
            ? []
            : ['Content-Length', request.target === '/short' ? '9' : '2'],
        ),
      )
    })
    expect(await app.exchange(get('/fail'))).not.toContain('0\r\n\r\n')
    await app.exchange(get('/short'))
    expect(await app.exchange(get('/long'))).not.toContain('begun')
  })

  test('the source of a stream is closed when the client disconnects, and for HEAD', async () => {
    const closed: string[] = []
    let onClosed = deferred()
    const body = (name: string): ReadableStream<Uint8Array> =>
      new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from('first')),
        cancel() {
          closed.push(name)
          onClosed.resolve()
        },
      })
    await using app = await serve((request) => new HttpResponse(200, body(request.method)))
    const client = await app.open()
    client.write(get('/'))
    await client.until('first')
    client.socket.destroy()
    await onClosed.promise
    onClosed = deferred()
    await app.exchange(`HEAD / HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`)
    await onClosed.promise
    expect(closed).toEqual(['GET', 'HEAD'])
  })

  test('a client that does not read pauses the source', async () => {
    let made = 0
    const stalled = deferred()
    async function* endless() {
      for (;;) {
        made++
        yield Buffer.alloc(256 * 1024)
      }
    }
    await using app = await serve(() => new HttpResponse(200, endless()))
    const client = await app.open()
    client.socket.pause()
    client.write(get('/'))
    let last = -1
    const check = setInterval(() => {
      if (made === last && made > 0) stalled.resolve()
      last = made
    }, 50)
    await stalled.promise
    clearInterval(check)
    expect(made).toBeLessThan(200)
    client.socket.destroy()
  })

  test('close: rejects new connections, answers in-flight requests, then ends', async () => {
    const release = deferred()
    const entered = deferred()
    await using app = await serve(async () => {
      entered.resolve()
      await release.promise
      return new HttpResponse(200, 'late')
    })
    const idle = await app.open()
    const busy = await app.open()
    busy.write(get('/'))
    await entered.promise
    const closing = app.server.close()
    expect(app.server.close()).toBe(closing)
    await expect.poll(() => connectResult(app.port)).toBe('ECONNREFUSED')
    release.resolve()
    expect(await busy.closed()).toMatch(/200 OK[^]*Connection: close[^]*late$/)
    await idle.closed()
    await closing
  })

  test('close: at the deadline a request without a response gets 503 and a log line, and its signal aborts', async () => {
    const entered = deferred()
    const reason = deferred<unknown>()
    const lines: unknown[] = []
    const error = (fields: object, message: string) => void lines.push({ message, ...fields })
    await using app = await serve(
      (request) => {
        request.signal.addEventListener('abort', () => reason.resolve(request.signal.reason))
        entered.resolve()
        return new Promise(() => {})
      },
      { handlerTimeout: 0, logger: { ...silentLogger, error } },
    )
    const client = await app.open()
    client.write(get('/late?secret=1'))
    await entered.promise
    await app.server.close(20)
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After[^]*Connection: close/)
    const shutdown = { code: 'server.shutdown-timeout' }
    expect(await reason.promise).toMatchObject(shutdown)
    expect(lines).toMatchObject([{ method: 'GET', path: '/late', err: shutdown }])
  })

  test('close: at the deadline a response that has begun is cut, and logged', async () => {
    const lines: unknown[] = []
    const warn = (fields: object, message: string) => void lines.push({ message, ...fields })
    async function* endless() {
      yield 'begun'
      await new Promise(() => {})
    }
    await using app = await serve(() => new HttpResponse(200, endless()), {
      logger: { ...silentLogger, warn },
    })
    const client = await app.open()
    client.write(get('/'))
    await client.until('begun')
    await app.server.close(20)
    expect(await client.closed()).not.toContain('503')
    expect(lines).toMatchObject([
      { message: 'closing: cut connections with unsent responses', connections: 1 },
    ])
  })

  test('close: a connection whose request has begun stays open, an idle one is closed', async () => {
    await using app = await serve(() => new HttpResponse(200, 'ok'))
    const idle = await app.open()
    const slow = await app.open()
    idle.write(get('/'))
    slow.write(`${get('/')}GET / HTTP/1.1\r\n`)
    await Promise.all([idle.until('ok'), slow.until('ok')])
    const closing = app.server.close()
    await idle.closed()
    slow.write('Host: localhost\r\n\r\n')
    expect(await slow.closed()).toMatch(/ok[^]*Connection: close[^]*ok$/)
    await closing
  })

  test('close: a new connection has two seconds for its first request', async () => {
    await using app = await serve(() => new HttpResponse(200, 'ok'))
    const silent = await app.open()
    const begin = performance.now()
    await Promise.all([app.server.close(), silent.closed()])
    expect(performance.now() - begin).toBeGreaterThan(1_990)
  })

  test('close: at the deadline idle connections are closed without a warning', async () => {
    const warnings: unknown[] = []
    const warn = (fields: object) => void warnings.push(fields)
    const answer = () => new HttpResponse(200, 'ok')
    await using app = await serve(answer, { logger: { ...silentLogger, warn } })
    const [idle, silent] = [await app.open(), await app.open()]
    idle.write(get('/'))
    await idle.until('ok')
    await app.server.close(500)
    await Promise.all([idle.closed(), silent.closed()])
    expect(warnings).toEqual([])
  })

  test('close: with drainDelay the server accepts and keeps connections until its end', async () => {
    await using app = await serve(() => new HttpResponse(200, 'ok'), { drainDelay: 86_400_000 })
    const closing = app.server.close()
    const client = await app.open()
    client.write(get('/'))
    expect(await client.until('ok')).toContain('Connection: keep-alive')
    app.server.destroy()
    await closing
    expect(await connectResult(app.port)).toBe('ECONNREFUSED')
  })

  test('close: a request on a kept connection is answered with Connection: close', async () => {
    await using app = await serve(() => new HttpResponse(200, 'ok'))
    const client = await app.open()
    client.write(get('/'))
    await client.until('ok')
    const closing = app.server.close()
    await expect.poll(() => connectResult(app.port)).toBe('ECONNREFUSED')
    client.write(get('/'))
    expect(await client.closed()).toMatch(/keep-alive[^]*ok[^]*Connection: close[^]*ok$/)
    await closing
  })

  test('listening: the address, and a port in use', async () => {
    await using app = await serve(() => new HttpResponse(200, 'ok'))
    expect(app.url).toBe(`http://127.0.0.1:${app.port}`)
    expect(await (await fetch(app.url, { method: 'QUERY' })).text()).toBe('ok')
    await expect(new HttpServer(() => new HttpResponse()).listen(app.port)).rejects.toMatchObject({
      code: 'server.listen-failed',
      message: expect.stringContaining('another process listens there'),
    })
  })

  test('invalid settings fail the start, each with its name', () => {
    const wrong = {
      maxHeaders: Number.NaN,
      headersTimeout: '10' as unknown as number,
      bodyLimit: 1,
    } as object
    expect(() => new HttpServer(() => new HttpResponse(), wrong)).toThrow(
      /bodyLimit.*maxHeaders is NaN.*headersTimeout is 10/,
    )
    expect(() => new HttpServer(() => new HttpResponse(), { hosts: ['http://x'] })).toThrow(
      /setting server\.hosts is not a name/,
    )
    expect(
      () => new HttpServer(() => new HttpResponse(), { trustedProxies: ['10.0.0.0/99'] }),
    ).toThrow(/setting server\.trustedProxies is not an address or CIDR/)
  })
})
