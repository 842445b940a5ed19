/** Bodies of types that a controller does not read. */
import { describe, expect, it } from 'vitest'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import {
  FileUploadFeature,
  JsonParamsFeature,
  XmlParamsFeature,
} from '../../src/runtime/feature.ts'
import { serve } from '../support/serve.ts'

describe('a controller with JsonParamsFeature', () => {
  class Both extends mix(FwController, JsonParamsFeature, XmlParamsFeature) {}
  class Json extends mix(FwController, JsonParamsFeature) {}
  const both = routes(Both, (r) => ({ send: r.post('/both', (c) => c.params.get('a') ?? 'none') }))
  const json = routes(Json, (r) => ({ send: r.post('/json', (c) => c.params.get('a') ?? 'none') }))

  it.each([
    ['/json', 'text/plain', 'a=1', 415],
    ['/json', 'application/xml', '<r><a>1</a></r>', 415],
    ['/json', 'application/octet-stream', 'x', 415],
    ['/json', 'multipart/form-data; boundary=B', '--B--', 415],
    ['/json', 'x', 'x', 415],
    ['/both', 'text/csv', 'a,b', 415],
    ['/json', 'application/json', '{"a":1}', 200],
    ['/json', 'application/vnd.api+json', '[]', 200],
    ['/json', 'application/x-www-form-urlencoded', 'a=1', 200],
    ['/both', 'application/xml', '<r><a>1</a></r>', 200],
    ['/both', 'application/json', '{}', 200],
  ])('%s, %s, %j: %i', async (path, type, body, status) => {
    const client = await serve([json, both])
    const page = await client.post(path, {
      headers: { 'content-type': type, accept: 'application/json' },
      body,
    })
    expect(page.status).toBe(status)
    if (status !== 415) return
    expect(page.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(page.json()).toMatchObject({ code: 'http.content-type-invalid' })
  })

  it('names the types that it reads', async () => {
    class Files extends mix(FwController, FileUploadFeature, JsonParamsFeature) {}
    const files = routes(Files, (r) => ({ send: r.post('/files', () => 'sent') }))
    const client = await serve([files])
    const headers = { 'content-type': 'text/plain', accept: 'application/json' }
    const page = await client.post('/files', { headers, body: 'a' })
    const types = 'multipart/form-data, application/json, application/x-www-form-urlencoded'
    expect(page.headers.get('accept')).toBe(types)
    expect(page.json()).toMatchObject({
      message: `The body is of a type that cannot be read here. Send ${types}.`,
    })
    const multipart = new FormData()
    multipart.set('a', '1')
    expect((await client.post('/files', { multipart })).status).toBe(200)
  })

  it.each(['', undefined])('accepts the empty body %j', async (body) => {
    const client = await serve([json])
    const headers = { 'content-type': 'text/plain' }
    const page = await client.post('/json', { headers, ...(body === undefined ? {} : { body }) })
    expect([page.status, page.body]).toEqual([200, 'none'])
  })
})
