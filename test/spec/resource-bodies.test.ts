/** What a resource reads: strict JSON and XML, forms, nothing else. */
import { describe, expect, it } from 'vitest'
import { FwController, mix } from '../../src/runtime/controller.ts'
import { FileUploadFeature } from '../../src/runtime/feature.ts'
import type { ResourceModel } from '../../src/runtime/model.ts'
import { ParamType, type PermittedValues } from '../../src/runtime/params.ts'
import { FwResource, resource } from '../../src/runtime/resource.ts'
import { paramKey, required } from '../../src/runtime/validation.ts'
import { serve } from '../support/serve.ts'

type Seen = Record<string, unknown>

async function site() {
  const written: Seen[] = []
  const model = {
    idType: ParamType.Long,
    findById: async (id: number) => (id === 1 ? { id } : undefined),
  } as unknown as ResourceModel<object, number>
  class NotesController extends FwResource(mix(FwController, FileUploadFeature), {
    model,
    resourcesName: 'notes',
    resourceName: 'note',
    createFormStrongParameters: {
      text: ParamType.String,
      companyId: ParamType.optional(ParamType.Long),
      tags: ParamType.array(ParamType.String),
    },
  }) {
    override createForm() {
      return this.validation(this.createParams(), paramKey('text').is(required))
    }
    override async doCreateAndReturnId(permitted: PermittedValues) {
      written.push({ ...permitted })
      return 1
    }
    override async doUpdate(_id: number, permitted: PermittedValues) {
      written.push({ ...permitted })
    }
  }
  return { app: await serve([resource(NotesController)]), written }
}

const xml = (body: string, type = 'application/xml') => ({
  body,
  headers: { 'content-type': type },
})

describe('an XML body', () => {
  it('creates and updates, whatever its root is called; unknown names are left out', async () => {
    const { app, written } = await site()
    const body = `<?xml version="1.0"?>
      <note>
        <text>a &amp; <![CDATA[<b>]]></text><company_id>7</company_id><admin>1</admin><tags>x</tags><tags>y</tags>
      </note>`
    const created = await app.post('/notes.xml', xml(body))
    expect([created.status, created.location]).toEqual([201, '/notes/1.xml'])
    expect((await app.put('/notes/1.xml', xml(body, 'text/xml; charset=utf-8'))).status).toBe(200)
    const patch = xml('<x><company_id/></x>', 'application/vnd.note+xml')
    expect((await app.patch('/notes/1.xml', patch)).status).toBe(200)
    const whole = { text: 'a & <b>', companyId: 7, tags: ['x', 'y'] }
    expect(written).toEqual([whole, whole, { companyId: undefined }])
  })

  it('is validated like every other: missing fields are errors by field', async () => {
    const { app, written } = await site()
    for (const body of ['<note/>', '<note><text/></note>']) {
      const page = await app.post('/notes.xml', xml(body))
      expect([page.status, page.body]).toEqual([
        400,
        '<?xml version="1.0" encoding="utf-8"?><notes><text>text is required</text></notes>',
      ])
    }
    expect(written).toEqual([])
  })

  it.each([
    ['<note><text>a</text><text>b</text></note>', 'text'],
    ['<note><text><b>a</b></text></note>', 'text'],
    [
      '<note><text>a</text><company_id>1</company_id><company_id>2</company_id></note>',
      'companyId',
    ],
    ['<note><text>a</text><tags><t>x</t></tags></note>', 'tags'],
  ])('%s: a field of several values, or parts, is refused', async (body, key) => {
    const page = await (await site()).app.post('/notes.xml', xml(body))
    expect([page.status, page.headers.get('content-type')]).toEqual([
      400,
      'application/xml; charset=utf-8',
    ])
    expect(page.body).toContain(`wrong type: ${key}.`)
  })

  it.each([
    '<note><text>a</note>',
    '<!DOCTYPE note [<!ENTITY e SYSTEM "file:///etc/passwd">]><note><text>&e;</text></note>',
    '<note>text alone</note>',
    `<note>${Array.from({ length: 1001 }, (_, at) => `<n${at}/>`).join('')}</note>`,
    `<note><${'n'.repeat(257)}/></note>`,
    '',
  ])('%.80j is 400, and nothing is written', async (body) => {
    const { app, written } = await site()
    expect((await app.post('/notes.xml', xml(body))).status).toBe(400)
    if (body !== '')
      expect((await app.post('/notes.json', xml(body))).json().code).toBe('http.xml-invalid')
    expect((await app.put('/notes/1.xml', xml(body))).status).toBe(400)
    expect(written).toEqual([])
  })

  it('in another charset than UTF-8 is 415', async () => {
    const { app } = await site()
    const page = await app.post('/notes.xml', xml('<n/>', 'application/xml; charset=utf-16'))
    expect(page.status).toBe(415)
  })
})

describe('a JSON body', () => {
  it.each(['application/json; charset=utf-8', 'application/vnd.note+json', 'model/note+json'])(
    'may be %s',
    async (type) => {
      const { app, written } = await site()
      const headers = { 'content-type': type }
      const page = await app.post('/notes.json', { body: '{"text":"a"}', headers })
      expect([page.status, written]).toMatchObject([201, [{ text: 'a' }]])
    },
  )

  it('needs no feature; lists are for fields of lists', async () => {
    const { app, written } = await site()
    const json = { text: 'a', company_id: 7, tags: ['x', 'y'], admin: { is: true } }
    expect((await app.post('/notes.json', { json })).status).toBe(201)
    expect((await app.post('/notes.json', { json: { text: 'a', tags: [] } })).status).toBe(201)
    expect(written).toEqual([
      { text: 'a', companyId: 7, tags: ['x', 'y'] },
      { text: 'a', tags: [] },
    ])
  })

  it.each([
    [{ text: ['a'] }, 'text must be a text, not a list'],
    [{ text: { a: 1 } }, 'text must be a text, not an object'],
    [{ text: 'a', company_id: [] }, /^companyId must be an integer .*, not a list$/],
    [{ text: 'a', tags: [{}] }, /^tags must be a list.*, not a list$/],
  ])('%j is refused by field', async (json, message) => {
    const { app, written } = await site()
    const page = await app.post('/notes.json', { json })
    expect([page.status, page.headers.get('content-type')]).toEqual([
      400,
      'application/problem+json',
    ])
    const [[told]] = Object.values(page.json().errors) as [[string]]
    expect(told).toMatch(message)
    expect(written).toEqual([])
  })

  it.each(['[]', '[{"text":"a"}]', 'null', '"a"', '7', '{"text":"a"', '{"__proto__":{}}', ' '])(
    '%s is no record: 400',
    async (body) => {
      const headers = { 'content-type': 'application/json' }
      const page = await (await site()).app.post('/notes.json', { body, headers })
      expect([page.status, page.json().code]).toEqual([400, 'http.json-invalid'])
    },
  )
})

describe('another body', () => {
  const readable = 'application/json, application/xml, application/x-www-form-urlencoded'

  it.each(['text/plain', 'application/octet-stream', 'application/yaml', 'application'])(
    '%s is 415, with what would do',
    async (type) => {
      const { app, written } = await site()
      const wrong = { body: 'text=a', headers: { 'content-type': type } }
      const post = await app.post('/notes.json', wrong)
      expect([post.status, post.json().code]).toEqual([415, 'resource.media-type'])
      expect(post.headers.get('accept')).toBe(readable)
      expect(post.headers.get('accept-post')).toBe(readable)
      const patch = await app.patch('/notes/1.xml', wrong)
      expect([patch.status, patch.headers.get('accept-post')]).toEqual([415, null])
      expect(patch.headers.get('accept-patch')).toContain('merge-patch+json')
      expect((await app.put('/notes/1', wrong)).status).toBe(415)
      expect(written).toEqual([])
    },
  )

  it('a form is read, with files where they are wanted, and so is no body at all', async () => {
    const { app, written } = await site()
    const multipart = new FormData()
    multipart.append('text', 'a')
    expect((await app.post('/notes.json', { multipart })).status).toBe(201)
    expect((await app.post('/notes.json', { form: { text: 'a' } })).status).toBe(201)
    expect((await app.post('/notes.json', { query: { text: 'a' } })).status).toBe(201)
    expect(written).toHaveLength(3)
  })
})
