/** Response helpers of the specification: charsets, names, `Vary`, problem details, statuses of a failed validation. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  FwApiController,
  FwController,
  FwMicroFilter,
  mix,
  routes,
} from '../../src/runtime/controller.ts'
import { ErrorPageFilter, JsonParamsFeature } from '../../src/runtime/feature.ts'
import { Created, Ok } from '../../src/runtime/http.ts'
import { ParamType } from '../../src/runtime/params.ts'
import {
  checkAll,
  KeyAndErrorMessages,
  minLength,
  paramKey,
  required,
} from '../../src/runtime/validation.ts'
import { SafeHtml } from '../../src/runtime/view.ts'
import { serve } from '../support/serve.ts'

async function* oneChunk() {
  yield 'ä'
}
const csv = { 'Content-Type': 'text/csv' }

class Texts extends FwController {
  withOption() {
    return Ok('ä', {}, { contentType: 'text/csv' })
  }
  withHeader() {
    return Ok('ä', csv)
  }
  halted() {
    this.halt({ body: 'ä', headers: csv })
  }
  haltedResult() {
    this.halt(Ok('ä', {}, { contentType: 'text/csv' }))
  }
  streamed() {
    this.response.headers.set('Content-Type', 'text/csv')
    return this.response.stream(oneChunk())
  }
  streamedResult() {
    return Ok(oneChunk(), {}, { contentType: 'text/csv' })
  }
  latin() {
    this.halt({ body: 'ä', headers: { 'Content-Type': 'text/csv; charset=iso-8859-1' } })
  }
  own() {
    this.halt({
      body: Ok('a', { 'X-From': 'result', 'X-Own': '1' }),
      headers: { 'X-From': 'halt' },
    })
  }
}
const texts = routes(Texts, (r) => ({
  withOption: r.get('/withOption', 'withOption'),
  withHeader: r.get('/withHeader', 'withHeader'),
  halted: r.get('/halted', 'halted'),
  haltedResult: r.get('/haltedResult', 'haltedResult'),
  streamed: r.get('/streamed', 'streamed'),
  streamedResult: r.get('/streamedResult', 'streamedResult'),
  latin: r.get('/latin', 'latin'),
  own: r.get('/own', 'own'),
}))

describe('a text with an explicit type', () => {
  it.each(['withOption', 'withHeader', 'halted', 'haltedResult', 'streamed', 'streamedResult'])(
    'gets its charset: %s',
    async (path) => {
      const page = await (await serve([texts])).get(`/${path}`)
      expect([page.headers.get('content-type'), page.body]).toEqual([
        'text/csv; charset=utf-8',
        'ä',
      ])
    },
  )

  it('is encoded in the charset of a halt', async () => {
    const client = await serve([texts])
    const response = await client.app.fetch(new Request('http://localhost/latin'))
    expect(response.headers.get('content-type')).toBe('text/csv; charset=iso-8859-1')
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0xe4])
  })

  it('the headers of a halt precede those of its result', async () => {
    const page = await (await serve([texts])).get('/own')
    expect([page.headers.get('x-from'), page.headers.get('x-own')]).toEqual(['halt', '1'])
  })
})

describe('JSON and XML', () => {
  class Names extends FwController {
    json() {
      return this.response.json({ userName: [{ isNew: true }], _ownKey: 1 })
    }
    xml() {
      return this.response.xml({ userName: [{ isNew: true }], _ownKey: 1 })
    }
    same() {
      return this.response.xml(
        { userName: 1, map: new Map([['inMap', 2]]) },
        { underscoreKeys: false },
      )
    }
    map() {
      return this.response.xml({ map: new Map([['inMap', { oneKey: 2 }]]) }, { root: 'r' })
    }
  }
  const names = routes(Names, (r) => ({
    json: r.get('/json', 'json'),
    xml: r.get('/xml', 'xml'),
    same: r.get('/same', 'same'),
    map: r.get('/map', 'map'),
  }))

  it('have the same names', async () => {
    const client = await serve([names])
    expect((await client.get('/json')).body).toBe('{"user_name":[{"is_new":true}],"_ownKey":1}')
    const bodyOf = async (path: string) => (await client.get(path)).body.replace(/^<\?.*?\?>/, '')
    expect(await bodyOf('/xml')).toBe(
      '<response><user_name><is_new>true</is_new></user_name><_ownKey>1</_ownKey></response>',
    )
    expect(await bodyOf('/same')).toBe(
      '<response><userName>1</userName><map><inMap>2</inMap></map></response>',
    )
    expect(await bodyOf('/map')).toBe('<r><map><inMap><one_key>2</one_key></inMap></map></r>')
  })
})

const files = {
  'src/main/webapp/WEB-INF/views/pages/page.html.ssp': 'html',
  'src/main/webapp/WEB-INF/views/pages/page.json.ssp': '{}',
  'src/main/webapp/WEB-INF/views/error/404.html.ssp': 'my 404',
}

describe('Vary: Accept', () => {
  class Pages extends FwController {
    page() {
      return this.render('/pages/page')
    }
    text() {
      return 'text'
    }
    missing() {
      this.haltWithBody(404)
    }
    moved() {
      return this.redirect('/text')
    }
    object() {
      return {}
    }
    html() {
      return new SafeHtml('<b>')
    }
    fails() {
      throw new Error('intended')
    }
  }
  const pages = routes(Pages, (r) => ({
    page: r.get('/page{.format}?', 'page'),
    text: r.get('/text', 'text'),
    missing: r.get('/missing', 'missing'),
    moved: r.get('/moved', 'moved'),
    object: r.get('/object', 'object'),
    html: r.get('/html', 'html'),
    fails: r.get('/fails', 'fails'),
  }))
  class Micro extends FwMicroFilter {}
  const micro = routes(Micro, (r) => ({ text: r.get('/micro', () => 'text') }))

  it.each([
    ['/page', 'Accept'],
    ['/text', 'Accept'],
    ['/missing', 'Accept'],
    ['/nowhere', 'Accept'],
    ['/fails', 'Accept'],
    ['/page?format=html', null],
    ['/object', null],
    ['/html', null],
    ['/moved', null],
    ['/micro', null],
  ])('%s: %s', async (path, expected) => {
    const client = await serve([pages, micro], { files })
    for (const accept of [undefined, 'text/html', 'application/json']) {
      const headers = accept === undefined ? {} : { accept }
      expect((await client.get(path, { headers })).headers.get('vary')).toBe(expected)
    }
  })
})

describe('problem details', () => {
  class Api extends FwApiController {
    show() {
      return {}
    }
  }
  const api = routes(Api, (r) => ({ show: r.get('/tasks', 'show') }))
  class Pages extends FwController {
    show() {
      this.haltWithBody(409)
    }
    fails() {
      throw new Error('intended')
    }
  }
  const pages = routes(Pages, (r) => ({
    show: r.get('/api/pages', 'show'),
    fails: r.get('/api/fails', 'fails'),
    apis: r.get('/apis', 'show').as('apis'),
  }))
  const typeOf = async (
    method: 'get' | 'post',
    path: string,
    accept?: string,
    contextPath = '',
  ) => {
    const configuration = contextPath === '' ? {} : { contextPath }
    const client = await serve([[api, '/v1'], api, pages], { configuration })
    const headers: Record<string, string> = accept === undefined ? {} : { accept }
    const page = await client[method](contextPath + path, { headers })
    return [page.status, page.headers.get('content-type')?.split(';')[0]]
  }
  const problem = 'application/problem+json'

  it.each([
    ['get', '/api/nowhere', undefined, 404, problem],
    ['get', '/api', '*/*', 404, problem],
    ['get', '/api?x=1', '*/*', 404, problem],
    ['post', '/api/pages', '*/*', 405, problem],
    ['get', '/api/pages', undefined, 409, problem],
    ['get', '/api/fails', '*/*', 500, problem],
    ['get', '/api/%ff', '*/*', 400, problem],
    ['get', '/api/nowhere', 'text/html', 404, 'text/html'],
    ['get', '/api/nowhere', 'application/xml', 404, 'application/xml'],
    ['get', '/apis', undefined, 409, 'text/html'],
    ['get', '/nowhere', undefined, 404, 'text/html'],
    ['post', '/tasks', undefined, 405, problem],
    ['get', '/v1/nowhere', undefined, 404, problem],
    ['post', '/v1/tasks', '*/*', 405, problem],
    ['post', '/v1/tasks', 'text/html', 405, 'text/html'],
  ] as const)('%s %s, Accept %s: %i %s', async (method, path, accept, status, type) => {
    expect(await typeOf(method, path, accept)).toEqual([status, type])
    expect(await typeOf(method, path, accept, '/shop')).toEqual([status, type])
  })

  it('below the paths of errors.apiPaths', async () => {
    const client = await serve([pages], {
      configuration: { 'errors.apiPaths': ['/rest', '/v2/api'] },
    })
    const types = ['/rest/x', '/v2/api/x', '/api/x'].map(
      async (path) => (await client.get(path)).headers.get('content-type')!.split(';')[0],
    )
    expect(await Promise.all(types)).toEqual([problem, problem, 'text/html'])
  })

  it.each([['api'], ['/'], ['/api/'], ['/a?b']])(
    'errors.apiPaths: %j does not start',
    async (path) => {
      await expect(
        serve([pages], { configuration: { 'errors.apiPaths': [path] } }),
      ).rejects.toThrow('must be a list of paths')
    },
  )
})

describe('a failed validation', () => {
  const fields = { name: ParamType.String, id: ParamType.Int }
  class Forms extends mix(FwController, JsonParamsFeature) {
    rules() {
      const form = this.validation(
        this.params,
        paramKey('name').is(required),
        paramKey('id').is(required),
      )
      form.validate()
      return form.keyAndErrorMessages
    }
    fields() {
      const form = this.validation(this.params, fields).withStatus(422).withPrefix('member')
      return form.validate() ? form.permitted : form.keyAndErrorMessages
    }
    schema() {
      const form = this.validation(this.params, z.object({ name: z.string() })).withStatus(400)
      return form.validate() ? form.values : form.keyAndErrorMessages
    }
  }
  const forms = routes(Forms, (r) => ({
    rules: r.post('/rules', 'rules'),
    fields: r.post('/fields', 'fields'),
    schema: r.post('/schema', 'schema'),
  }))

  it.each([
    [undefined, 400, 422, 400],
    [422, 422, 422, 400],
  ])(
    'has the status of validation.status %s, unless the form has one',
    async (status, ...expected) => {
      const configuration = status === undefined ? {} : { 'validation.status': status }
      const client = await serve([forms], { configuration })
      const statuses = ['/rules', '/fields', '/schema'].map(
        async (path) => (await client.post(path)).status,
      )
      expect(await Promise.all(statuses)).toEqual(expected)
    },
  )

  it('another status does not start', async () => {
    await expect(serve([forms], { configuration: { 'validation.status': 409 } })).rejects.toThrow(
      'must be 400 or 422',
    )
  })

  it('lists only keys with errors', async () => {
    const page = await (await serve([forms])).post('/rules', { form: { name: 'Ann' } })
    expect(page.body).toBe('{"id":["id is required"]}')
  })

  it('has its messages in a Map', () => {
    const messages = new KeyAndErrorMessages([['name', ['name is required']]])
    expect(messages).toBeInstanceOf(Map)
    expect([...messages.keys(), messages.size, messages.has('id')]).toEqual(['name', 1, false])
    expect([messages.get('id'), messages.getErrors('name'), messages.hasErrors('name')]).toEqual([
      [],
      ['name is required'],
      true,
    ])
  })

  it('checkAll collects the failures in the order of the rules', async () => {
    class All extends FwController {
      check() {
        const rule = checkAll(required, minLength(3))
        const form = this.validation(
          this.params,
          paramKey('b').is(rule),
          paramKey('a').is(required),
        )
        return form.validate() ? 'valid' : form.keyAndErrorMessages
      }
    }
    const all = routes(All, (r) => ({ check: r.post('/', 'check') }))
    const page = await (await serve([all])).post('/')
    expect(Object.keys(page.json() as object)).toEqual(['b', 'a'])
  })
})

describe('an empty 201', () => {
  class Creates extends FwController {
    create() {
      return Created()
    }
  }
  it('without a format has no type', async () => {
    const creates = routes(Creates, (r) => ({ create: r.post('/', 'create') }))
    const page = await (await serve([creates])).post('/')
    expect([page.status, page.headers.get('content-type')]).toEqual([201, null])
  })
})

describe('a stream', () => {
  const early = new Error('early')
  // oxlint-disable-next-line require-yield -- it fails before its first chunk.
  async function* failing(): AsyncGenerator<string> {
    throw early
  }
  async function* failingLate() {
    yield 'first'
    throw new Error('late')
  }
  class Streams extends mix(FwController, ErrorPageFilter) {
    fails() {
      this.response.headers.set('Content-Disposition', 'attachment')
      return this.response.stream(failing())
    }
    web() {
      return new ReadableStream({ start: (controller) => controller.error(early) })
    }
    writes() {
      return this.response.withOutputStream(() => Promise.reject(early))
    }
    locked() {
      const stream = new ReadableStream()
      stream.getReader()
      return stream
    }
    late() {
      return this.response.stream(failingLate())
    }
    works() {
      return this.response.stream(oneChunk())
    }
    slow() {
      return this.response.stream(never())
    }
  }
  async function* never(): AsyncGenerator<string> {
    await new Promise(() => {})
    yield ''
  }
  const streams = routes(Streams, (r) => ({
    fails: r.get('/fails', 'fails'),
    web: r.get('/web', 'web'),
    writes: r.get('/writes', 'writes'),
    locked: r.get('/locked', 'locked'),
    late: r.get('/late', 'late'),
    works: r.get('/works', 'works'),
    slow: r.get('/slow', 'slow'),
  }))
  const page500 = { 'src/main/webapp/WEB-INF/views/error/500.html.ssp': 'my 500' }

  it.each(['/fails', '/web', '/writes', '/locked'])(
    'that fails before its first byte is a 500, with the error page: %s',
    async (path) => {
      const client = await serve([streams], { files: page500 })
      const page = await client.get(path, { headers: { accept: 'text/html' } })
      expect([page.status, page.body]).toEqual([500, 'my 500'])
      expect(page.headers.get('content-disposition')).toBe(null)
      expect(client.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
      const problem = await client.get(path, { headers: { accept: 'application/json' } })
      expect([problem.status, problem.headers.get('content-type')]).toEqual([
        500,
        'application/problem+json',
      ])
    },
  )

  it('that works is sent whole; one that fails later is cut', async () => {
    const client = await serve([streams])
    expect((await client.get('/works')).body).toBe('ä')
    expect((await client.app.fetch(new Request('http://localhost/late'))).status).toBe(200)
    await expect(client.get('/late')).rejects.toThrow('late')
  })

  it('without a chunk begins after a while', async () => {
    const { app } = await serve([streams])
    const response = await app.fetch(new Request('http://localhost/slow'))
    expect(response.status).toBe(200)
    await response.body!.cancel()
  })

  it('whose client leaves before the first chunk ends', async () => {
    const { app, lines } = await serve([streams])
    const aborted = AbortSignal.abort()
    await app.fetch(new Request('http://localhost/slow', { signal: aborted }))
    expect(lines).toEqual([])
  })
})
