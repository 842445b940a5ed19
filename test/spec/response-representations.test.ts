/** Representations: negotiation, JSON, XML, charsets and JSON parameters (decisions 7, 11, 25). */
import { describe, expect, it } from 'vitest'
import { formats } from '../../src/runtime/action.ts'
import { FwController, microFilter, mix, routes } from '../../src/runtime/controller.ts'
import { JsonParamsFeature } from '../../src/runtime/feature.ts'
import { Ok } from '../../src/runtime/http.ts'
import { serve } from '../support/serve.ts'

class Shown extends FwController {
  show() {
    return this.response.respondTo({
      html: () => '<p>page</p>',
      json: () => ({ firstName: 'Ann' }),
      xml: () => this.response.xml({ firstName: 'Ann' }, { root: 'member' }),
    })
  }
  dated() {
    return this.request.dateHeader('x-date')?.toISOString() ?? 'none'
  }
  forced() {
    this.ctx.format = 'json'
    return this.show()
  }
  jsonText() {
    return this.response.json({ firstName: 'Ann', isATMWorking: true, _id: 1, tags: [{ aB: 1 }] })
  }
  pretty() {
    return this.response.json({ aB: 1 }, { underscoreKeys: false, prettify: true })
  }
  beyond() {
    return { big: 2n ** 70n, map: new Map([['k', 1n]]), set: new Set([1]), none: undefined }
  }
  latin() {
    return Ok('Ü', {}, { contentType: 'text/html', charset: 'iso-8859-1' })
  }
  greek() {
    return Ok('Ω', {}, { contentType: 'text/html', charset: 'iso-8859-7' })
  }
  typed() {
    this.response.headers.set('Content-Type', 'text/csv; charset=iso-8859-1')
    return 'é'
  }
}
const shown = routes(Shown, (r) => ({
  show: r.get('/show(.:format)?', 'show'),
  dated: r.get('/dated', 'dated'),
  forced: r.get('/forced', 'forced'),
  json: r.get('/json', 'jsonText'),
  pretty: r.get('/pretty', 'pretty'),
  beyond: r.get('/beyond', 'beyond'),
  latin: r.get('/latin', 'latin'),
  greek: r.get('/greek', 'greek'),
  typed: r.get('/typed', 'typed'),
}))
const get = async (path: string, accept?: string) =>
  (await serve([shown])).get(path, accept === undefined ? {} : { headers: { accept } })

describe('respondTo', () => {
  for (const [path, accept, status, type] of [
    ['/show', undefined, 200, 'text/html'],
    ['/show', '*/*', 200, 'text/html'],
    ['/show', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 200, 'text/html'],
    ['/show', 'application/json', 200, 'application/json'],
    ['/show', 'application/json;q=0.4, application/xml;q=0.8', 200, 'application/xml'],
    ['/show', 'text/html;q=0, */*;q=0.1', 200, 'application/json'],
    ['/show', 'application/*', 200, 'application/json'],
    ['/show', 'text/xml', 200, 'application/xml'],
    ['/show', 'image/png', 406, 'text/html'],
    ['/show', 'text/html;q=0, application/json;q=0', 406, 'text/html'],
    ['/show.json', 'text/html', 200, 'application/json'],
    ['/show.xml', '*/*', 200, 'application/xml'],
    ['/show?format=json', 'text/html', 200, 'application/json'],
    ['/show?format=unknown', 'application/xml', 200, 'application/xml'],
    ['/show.pdf', 'text/html', 406, 'text/html'],
    ['/forced', 'text/html', 200, 'application/json'],
  ] as const) {
    it(`${path} for ${accept ?? 'no Accept'} is ${status} ${type}`, async () => {
      const page = await get(path, accept)
      expect(page.status).toBe(status)
      if (status === 200) expect(page.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
    })
  }

  it('knows a format that was added: as a suffix, as a parameter, in Accept', async () => {
    formats.add('x-places', 'application/vnd.places+json')
    const app = await serve([
      microFilter((r) => ({
        x: r.get('/x(.:format)?', (c) =>
          c.response.respondTo({ html: () => 'page', 'x-places': () => '{"places":[]}' }),
        ),
      })),
    ])
    for (const [path, accept] of [
      ['/x.x-places', 'text/html'],
      ['/x?format=x-places', 'text/html'],
      ['/x', 'application/vnd.places+json, text/html;q=0.9'],
    ] as const) {
      const page = await app.get(path, { headers: { accept } })
      expect(page.headers.get('content-type')).toBe('application/vnd.places+json; charset=utf-8')
      expect(page.json()).toEqual({ places: [] })
    }
    expect((await app.get('/x', { headers: { accept: 'text/html' } })).body).toBe('page')
  })

  it('a text of a format that is no text has no charset', async () => {
    formats.add('jpg', 'image/jpeg')
    formats.add('x-yaml', 'application/x-yaml')
    const app = await serve([
      microFilter((r) => ({
        x: r.get('/x', (c) => {
          c.ctx.format = c.params.get('as') ?? 'html'
          return 'text'
        }),
      })),
    ])
    for (const [format, type] of [
      ['jpg', 'image/jpeg'],
      ['pdf', 'application/pdf'],
      ['flv', 'video/x-flv'],
      ['x-yaml', 'application/x-yaml; charset=utf-8'],
      ['csv', 'text/csv; charset=utf-8'],
      ['svg', 'image/svg+xml; charset=utf-8'],
      ['js', 'text/javascript; charset=utf-8'],
    ])
      expect((await app.get(`/x?as=${format}`)).headers.get('content-type')).toBe(type)
  })

  it('sets Vary: Accept only when Accept decided', async () => {
    expect((await get('/show', 'application/json')).headers.get('vary')).toBe('Accept')
    expect((await get('/show.json')).headers.get('vary')).toBeNull()
  })

  it('works in the micro layer', async () => {
    const app = await serve([
      microFilter((r) => ({
        x: r.get('/x', (c) => c.response.respondTo({ txt: () => 'plain', json: () => [1] })),
      })),
    ])
    expect((await app.get('/x')).body).toBe('plain')
    expect((await app.get('/x', { headers: { accept: 'application/json' } })).json()).toEqual([1])
  })
})

describe('JSON and XML', () => {
  it('response.json underscores the keys of objects, except those with a leading _', async () => {
    expect((await get('/json')).json()).toEqual({
      first_name: 'Ann',
      is_atm_working: true,
      _id: 1,
      tags: [{ a_b: 1 }],
    })
    expect((await get('/json')).headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('keeps them with underscoreKeys: false, and indents with prettify', async () => {
    expect((await get('/pretty')).body).toBe('{\n  "aB": 1\n}')
  })

  it('a result may hold bigints, maps and sets', async () => {
    expect((await get('/beyond')).body).toBe(
      '{"big":"1180591620717411303424","map":{"k":"1"},"set":[1]}',
    )
  })

  it('responseAsXML', async () => {
    expect((await get('/show.xml')).body).toBe(
      '<?xml version="1.0" encoding="utf-8"?><member><first_name>Ann</first_name></member>',
    )
  })
})

describe('dateHeader', () => {
  it('reads the dates of HTTP', async () => {
    const app = await serve([shown])
    const dated = async (date: string) =>
      (await app.get('/dated', { headers: { 'x-date': date } })).body
    expect(await dated('Sun, 06 Nov 1994 08:49:37 GMT')).toBe('1994-11-06T08:49:37.000Z')
    expect(await dated('1994')).toBe('none')
  })
})

describe('charset', () => {
  it('a text is encoded in the charset of its type', async () => {
    const latin = await get('/latin')
    expect([latin.headers.get('content-type'), [...latin.bytes]]).toEqual([
      'text/html; charset=iso-8859-1',
      [0xdc],
    ])
    expect([...(await get('/typed')).bytes]).toEqual([0xe9])
  })

  it('a charset that cannot be written is a fault, not a wrong label', async () => {
    expect((await get('/greek')).status).toBe(500)
  })
})

describe('JsonParamsFeature', () => {
  class Api extends mix(FwController, JsonParamsFeature) {
    params1() {
      return Object.fromEntries(this.multiParams.toMap())
    }
    raw() {
      return { body: this.request.parsedBody }
    }
  }
  class Plain extends FwController {
    params1() {
      return Object.fromEntries(this.multiParams.toMap())
    }
  }
  const api = routes(Api, (r) => ({
    x: r.post('/api/:id', 'params1'),
    raw: r.post('/raw', 'raw'),
  }))
  const plain = routes(Plain, (r) => ({ x: r.post('/plain', 'params1') }))

  it('makes members parameters, nested ones too; path and query come first', async () => {
    const app = await serve([api])
    const page = await app.post('/api/7', {
      query: { name: 'query' },
      json: {
        id: 8,
        name: 'Ann',
        age: 3,
        ok: true,
        none: null,
        empty: [],
        tags: ['a', 1],
        home: { city: 'Ulm', geo: { lat: 1.5 } },
        pets: [{ name: 'Rex' }, { name: 'Tom' }],
      },
    })
    expect(page.json()).toEqual({
      id: ['7'],
      name: ['query', 'Ann'],
      age: ['3'],
      ok: ['true'],
      none: [''],
      tags: ['a', '1'],
      'home.city': ['Ulm'],
      'home.geo.lat': ['1.5'],
      'pets.0.name': ['Rex'],
      'pets.1.name': ['Tom'],
    })
  })

  it('is not there unless mixed in', async () => {
    const app = await serve([plain])
    expect((await app.post('/plain', { json: { name: 'Ann' } })).json()).toEqual({})
  })

  it('keeps the parsed body', async () => {
    const app = await serve([api])
    expect((await app.post('/raw', { json: [{ a: 1 }] })).json()).toEqual({ body: [{ a: 1 }] })
  })

  it('takes +json types and refuses others', async () => {
    const app = await serve([api])
    const send = (type: string, body: string) =>
      app.post('/api/1', { body, headers: { 'content-type': type } })
    expect((await send('application/merge-patch+json', '{"a":1}')).json()['a']).toEqual(['1'])
    expect((await send('text/plain', '{"a":1}')).status).toBe(415)
  })

  for (const [title, body] of [
    ['malformed', '{'],
    ['a key of a prototype', '{"__proto__":{"a":1}}'],
    ['too deep', `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`],
    [
      'too many fields',
      JSON.stringify(Object.fromEntries(Array.from({ length: 1100 }, (_, i) => [i, 1]))),
    ],
    ['a key too long', JSON.stringify({ ['k'.repeat(300)]: 1 })],
    ['a NUL', '{"a":"\\u0000"}'],
  ] as const) {
    it(`answers 400 for ${title}`, async () => {
      const app = await serve([api])
      const page = await app.post('/api/1', {
        body,
        headers: { 'content-type': 'application/json' },
      })
      expect(page.status).toBe(400)
    })
  }
})
