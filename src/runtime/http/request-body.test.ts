import { describe, expect, test } from 'vitest'
import { RequestBody } from './request-body.ts'
import type { HttpRequest } from './http-request.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }
const refusedWith = (status: number, code: string) => expect.objectContaining({ status, code })

describe.each([
  ['has arrived', true],
  ['arrives later', false],
])('a body that %s', (_name, hasArrived) => {
  function body(content: string | Uint8Array, headers: Record<string, string> = {}) {
    let reads = 0
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    const request = {
      header: (name: string) => headers[name],
      body: {
        isEmpty: bytes.length === 0,
        bytes: () => (reads++, Promise.resolve(bytes)),
        arrivedBytes: () => (hasArrived ? (reads++, bytes) : undefined),
      },
    } as unknown as HttpRequest
    return { body: new RequestBody(request), reads: () => reads }
  }

  test('body and form can be read from one request, in any order', async () => {
    const { body: both, reads } = body('a=1&b=%C3%A9', form)
    expect(await both.form()).toEqual(
      new Map([
        ['a', ['1']],
        ['b', ['é']],
      ]),
    )
    expect(await both.text()).toBe('a=1&b=%C3%A9')
    expect(await both.form()).toBe(await both.form())
    expect(reads()).toBe(1)
  })

  describe('form', () => {
    test.each(['UTF-8', 'utf8'])('in %s, if declared', async (charset) => {
      const type = { 'content-type': `application/x-www-form-urlencoded; charset=${charset}` }
      expect(await body('a=%C3%A9', type).body.form()).toEqual(new Map([['a', ['é']]]))
    })
    test('empty for another type, and without a body', async () => {
      expect((await body('{}', json).body.form()).size).toBe(0)
      expect((await body('', { 'content-type': 'nonsense' }).body.form()).size).toBe(0)
      expect((await body('a=1').body.form()).size).toBe(0)
    })
    test.each([
      ['application/x-www-form-urlencoded garbage', 415, 'http.content-type-invalid'],
      ['application/x-www-form-urlencoded; charset=ISO-8859-5', 415, 'http.charset-unsupported'],
      ['application/x-www-form-urlencoded; charset=utf-16le', 415, 'http.charset-unsupported'],
      ['application/x-www-form-urlencoded; charset=nope', 415, 'http.charset-unsupported'],
    ])('%s', async (type, status, code) => {
      await expect(async () => body('a=1', { 'content-type': type }).body.form()).rejects.toEqual(
        refusedWith(status, code),
      )
    })
  })

  test.each([
    ['form', form],
    ['json', json],
    ['text', {}],
    ['bytes', {}],
  ] as const)('a compressed body is refused: %s', async (accessor, headers) => {
    const { body: compressed } = body('x', { ...headers, 'content-encoding': 'gzip' })
    await expect(async () => compressed[accessor]()).rejects.toEqual(
      refusedWith(415, 'http.content-encoding'),
    )
    await expect(compressed.startedRead).rejects.toMatchObject({ status: 415 })
  })

  test('text by the declared charset, strictly; a byte order mark is dropped', async () => {
    expect(
      await body(Uint8Array.of(0xe9), {
        'content-type': 'text/plain; charset="latin1"',
      }).body.text(),
    ).toBe('é')
    expect(await body('\ufeffé').body.text()).toBe('é')
    expect(await body('').body.text()).toBe('')
    await expect(async () => body(Uint8Array.of(0xff)).body.text()).rejects.toEqual(
      refusedWith(400, 'http.body-invalid'),
    )
  })

  describe('json', () => {
    test.each(['application/json', ' Application/JSON ;charset=UTF-8', 'application/vnd.api+json'])(
      '%s',
      async (type) => {
        expect(await body('{"a":[1,"\\u00e9"]}', { 'content-type': type }).body.json()).toEqual({
          a: [1, 'é'],
        })
      },
    )
    test.each([
      'text/plain',
      'application/json garbage',
      'application/json/extra',
      'application/json(x)',
      'application/json\0x',
      'application/json; charset=utf-16',
      'application/json; charset=utf-8; charset=utf-8',
    ])('%j is rejected', async (type) => {
      await expect(async () =>
        body('{}', { 'content-type': type }).body.json(),
      ).rejects.toMatchObject({
        status: 415,
      })
    })
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    test.each([
      '',
      '{',
      '{"a":1,}',
      "{'a':1}",
      'NaN',
      '"\\x"',
      '[1]]',
      nested(65),
      '['.repeat(200_000) + ']'.repeat(200_000),
      '{"__proto__":{}}',
      '{"a":[{"__proto__":1}]}',
      '{"\\u005f_proto__":1}',
      '{"constructor":{"prototype":{}}}',
      '{"const\\u0072uctor":{"prototype":1}}',
    ])('%.40j is rejected', async (text) => {
      await expect(async () => body(text, json).body.json()).rejects.toEqual(
        refusedWith(400, 'http.json-invalid'),
      )
    })
    test.each([
      nested(64),
      '{"constructor":"acme"}',
      '"__proto__"',
      `"${'['.repeat(200)}"`,
      `"\\"${'{'.repeat(200)}"`,
    ])('%.40j is read', async (text) => {
      expect(await body(text, json).body.json()).toEqual(JSON.parse(text))
    })
    test('bytes that are not UTF-8 are rejected', async () => {
      await expect(async () =>
        body(Uint8Array.of(0x22, 0xff, 0x22), json).body.json(),
      ).rejects.toMatchObject({
        status: 400,
      })
    })
  })

  test('xml: which types are read, and which are rejected', async () => {
    const xml = (type: string) => body('<a><b>1</b></a>', { 'content-type': type }).body.xml()
    for (const type of ['application/xml', 'text/xml; charset=utf-8', 'application/atom+xml'])
      expect(await xml(type)).toEqual({ b: '1' })
    for (const type of ['image/svg+xml', 'application/xmlx', 'text/html', ''])
      await expect(async () => xml(type)).rejects.toEqual(
        refusedWith(415, 'http.content-type-invalid'),
      )
  })
})
