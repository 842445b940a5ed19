import { AsyncLocalStorage } from 'node:async_hooks'
import diagnostics from 'node:diagnostics_channel'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HttpResponse, ResponseHeaders, SharedHeaders } from '../http.ts'
import type { NodeRequest } from './node-request.ts'
import { close, get, post, modes } from './raw-client.fixture.ts'

describe.each(modes)('%s', (_mode, serve) => {
  const whole = (target: string): HttpResponse => new HttpResponse(200, target)
  const bodies = (answers: string): string[] =>
    answers.split(/HTTP\/1\.1 \d+[^]*?\r\n\r\n/).filter((body) => body !== '')

  test('pipelined requests are answered in order, whichever is ready first', async () => {
    const slow = Promise.withResolvers<HttpResponse>()
    await using app = await serve(({ target }) =>
      target === '/slow' ? slow.promise : whole(target),
    )
    const client = await app.open()
    client.write(get('/1') + get('/slow') + get('/2') + get('/3', close))
    await client.until('/1')
    slow.resolve(whole('/slow'))
    expect(bodies(await client.closed())).toEqual(['/1', '/slow', '/2', '/3'])
  })

  test('a connection serves one request after another, with and without bodies', async () => {
    await using app = await serve(async ({ target, body }) => {
      const bytes = await body.bytes(100)
      return whole(`${target} ${bytes.byteLength}.`)
    })
    const client = await app.open()
    for (let i = 0; i < 5; i++) {
      client.write(get(`/get${i}`))
      await client.until(`/get${i} 0.`)
      client.write(post(`/post${i}`, 'abc'))
      await client.until(`/post${i} 3.`)
    }
    expect(client.received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(10)
  })

  test('the Content-Length of text beyond Latin-1 and of bytes is in bytes', async () => {
    const bytes = Uint8Array.of(0, 255, 10)
    await using app = await serve(({ target }) =>
      target === '/text' ? whole('zażółć 🎉') : new HttpResponse(200, bytes),
    )
    const client = await app.open()
    client.write(get('/text') + get('/bytes', close))
    const answers = await client.closed()
    expect(answers).toContain(`Content-Length: ${Buffer.byteLength('zażółć 🎉')}\r\n`)
    expect(Buffer.from(answers, 'latin1').toString('utf8')).toContain('zażółć 🎉')
    expect(answers).toMatch(/Content-Length: 3\r\n[^]*\r\n\r\n\0\xff\n$/)
  })

  async function* chunksOf(text: string): AsyncGenerator<string> {
    yield text
  }

  test.each([
    ['ASCII', 'x'],
    ['Latin-1', '·'],
    ['others', 'zażółć 🎉'],
    ['others, longer than a buffer', 'ż'.repeat(20_000)],
  ])(
    'a head with bytes of Latin-1 and a text with characters of %s arrive unchanged',
    async (_name, text) => {
      await using app = await serve(({ target }) => {
        const headers = new ResponseHeaders(['X-Place', 'Zürich'])
        const body = target === '/stream' ? chunksOf(text) : text
        const response = new HttpResponse(200, body, headers)
        if (target === '/reason') response.reason = 'Schön'
        return response
      })
      const client = await app.open()
      client.write(get('/') + get('/reason') + get('/stream') + get('/', close))
      const answers = await client.closed()
      const body = Buffer.from(text).toString('latin1')
      const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
      expect(bodies(answers).map((each) => each === body || each === chunk)).toEqual(
        Array(4).fill(true),
      )
      expect(answers.match(/X-Place: Z\xfcrich\r\n/g)).toHaveLength(4)
      expect(answers.match(/ 200 Sch\xf6n\r\n/g)).toHaveLength(1)
    },
  )

  test('every write path sends shared headers after those of the response', async () => {
    const shared = new SharedHeaders(['X-Shared', 'yes'])
    await using app = await serve(() => {
      const response = new HttpResponse(200, 'x', new ResponseHeaders(['X-Own', '1']))
      response.shared = shared
      return response
    })
    const client = await app.open()
    client.write(get('/') + get('/', close))
    const answers = await client.closed()
    expect(answers.match(/X-Own: 1\r\nX-Shared: yes\r\n/g)).toHaveLength(2)
  })

  test('a large response arrives completely, and the connection stays open', async () => {
    const large = 'x'.repeat(5_000_000)
    await using app = await serve(({ target }) => whole(target === '/large' ? large : target))
    const client = await app.open()
    client.write(get('/large'))
    await client.until('x'.repeat(5_000_000))
    client.write(get('/after', close))
    expect(await client.closed()).toContain('\r\n\r\n/after')
  })

  test('an HTTP/1.0 client is answered, and its connection closed', async () => {
    await using app = await serve(() => whole('done'))
    const answer = await app.exchange('GET / HTTP/1.0\r\nHost: localhost\r\n\r\n')
    expect(answer).toMatch(/Connection: close\r\n\r\ndone$/)
  })

  test('the bodies of pipelined requests are separated', async () => {
    await using app = await serve(async ({ body }) =>
      whole(Buffer.from(await body.bytes(100)).toString()),
    )
    const client = await app.open()
    client.write(post('/', 'first') + post('/', 'second', close))
    expect(bodies(await client.closed())).toEqual(['first', 'second'])
  })

  test('a response on a destroyed connection is not finished', async () => {
    const closed = Promise.withResolvers<string[]>()
    await using app = await serve((request) => {
      const { incoming, outgoing } = request as NodeRequest
      const events: string[] = []
      outgoing.on('finish', () => events.push('finish'))
      outgoing.on('close', () => closed.resolve([...events, 'close']))
      incoming.socket.destroy()
      return whole('lost')
    })
    const client = await app.open()
    client.write(get('/'))
    expect(await closed.promise).toEqual(['close'])
  })

  test('a request has the asynchronous context of its arrival', async () => {
    const context = new AsyncLocalStorage<string>()
    const channel = diagnostics.channel('http.server.request.start')
    let arrived = 0
    const enter = (): void => context.enterWith(`request ${++arrived}`)
    channel.subscribe(enter)
    onTestFinished(() => void channel.unsubscribe(enter))
    await using app = await serve(() => whole(context.getStore() ?? 'none'))
    const client = await app.open()
    client.write(get('/') + get('/', close))
    expect(bodies(await client.closed())).toEqual(['request 1', 'request 2'])
  })
})
