/** Every default route of a generated scaffold over HTTP. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { HttpServer } from 'fwjs/server'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { Member } from '#model/member'
import { createMember } from '#test/factory/member'

const { application } = await testApp(Bootstrap)
// `testApp` closes the application; this file only closes the server.
const server = new HttpServer(application.handle, { logger: application.logger })
let origin = ''
before(async () => void (origin = (await server.listen(0)).url.replace(/\/$/, '')))
after(() => server.close())

/** Returns the session cookie and the CSRF token of a new visitor. */
async function visit(): Promise<Record<string, string>> {
  const page = await fetch(`${origin}/members/new`)
  const token = /name="csrf-token" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  return { cookie: page.headers.getSetCookie()[0]?.split(';')[0] ?? '', 'x-csrf-token': token }
}

interface Sent {
  readonly body?: string | URLSearchParams
  readonly type?: string
}

async function send(method: string, path: string, { body, type }: Sent = {}) {
  const headers = {
    ...(method === 'GET' ? {} : await visit()),
    ...(type === undefined ? {} : { 'content-type': type }),
  }
  const given = body === undefined ? {} : { body }
  const response = await fetch(origin + path, { method, headers, redirect: 'manual', ...given })
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    location: response.headers.get('location') ?? undefined,
    text: await response.text(),
  }
}

const valid = { name: 'Bob', birthday: '2001-02-03' }
const invalid = { name: '', birthday: 'x' }
const element = (name: string, text: string) => `<${name}>${text}</${name}>`
const bodies: Readonly<Record<string, (fields: Readonly<Record<string, string>>) => Sent>> = {
  form: (fields) => ({ body: new URLSearchParams(fields) }),
  json: (fields) => ({ body: JSON.stringify(fields), type: 'application/json' }),
  xml: (fields) => ({
    body: element('member', Object.entries(fields).map(([key, text]) => element(key, text)).join('')),
    type: 'application/xml',
  }),
}
const missingOf: Readonly<Record<string, RegExp>> = {
  '': /<h1>Not found/,
  '.json': /"status":404/,
  '.xml': /<status>404</,
}
const suffixes = ['', '/', '.xml', '.json']
const typeOf = (suffix: string) =>
  suffix.startsWith('.') ? `application/${suffix.slice(1)}; charset=utf-8` : 'text/html; charset=utf-8'

describe('reading', () => {
  for (const suffix of suffixes)
    it(`GET /members${suffix}`, async () => {
      await createMember({ name: 'Ann' })
      const { status, type, text } = await send('GET', `/members${suffix}`)
      assert.deepEqual([status, type, text.includes('Ann')], [200, typeOf(suffix), true])
    })

  for (const suffix of ['', '.xml', '.json'])
    it(`GET /members/{id}${suffix}, and 404 for an unknown id`, async () => {
      const id = await createMember({ name: 'Ann' })
      const { status, type, text } = await send('GET', `/members/${id}${suffix}`)
      assert.deepEqual([status, type, text.includes('Ann')], [200, typeOf(suffix), true])
      for (const other of [id + 1, 'x', '99999999999999999999']) {
        const missing = await send('GET', `/members/${other}${suffix}`)
        assert.equal(missing.status, 404)
        assert.match(missing.text, missingOf[suffix]!)
      }
    })

  it('GET /members/new, GET /members/{id}/edit', async () => {
    const id = await createMember({ name: 'Ann' })
    assert.equal((await send('GET', '/members/new')).status, 200)
    const form = await send('GET', `/members/${id}/edit`)
    assert.deepEqual([form.status, form.text.includes('value="Ann"')], [200, true])
    assert.equal((await send('GET', `/members/${id + 1}/edit`)).status, 404)
  })

  it('another suffix is 404 for every method', async () => {
    const id = await createMember()
    for (const suffix of ['.html', '.csv']) {
      for (const method of ['GET', 'POST'])
        assert.equal((await send(method, `/members${suffix}`)).status, 404)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
        assert.equal((await send(method, `/members/${id}${suffix}`)).status, 404)
    }
  })
})

for (const [kind, bodyOf] of Object.entries(bodies)) {
  describe(`writing with a body of ${kind}`, () => {
    for (const suffix of suffixes)
      it(`POST /members${suffix}`, async () => {
        const refused = await send('POST', `/members${suffix}`, bodyOf(invalid))
        assert.deepEqual([refused.status, refused.type], [400, typeOf(suffix)])
        for (const label of ['name', 'birthday']) assert.match(refused.text, new RegExp(label))
        assert.equal(await Member.count(), 0)
        const { status, type, location = '', text } = await send('POST', `/members${suffix}`, bodyOf(valid))
        const isPage = !suffix.startsWith('.')
        assert.equal(status, isPage ? 302 : 201)
        assert.match(location, isPage ? /^\/members\/\d+$/ : /^\/members\/\d+\.(json|xml)$/)
        const shown = await send('GET', location)
        assert.equal(shown.status, 200)
        if (!isPage)
          assert.deepEqual([text, type, location.endsWith(suffix)], [shown.text, shown.type, true])
        assert.equal((await Member.findAll())[0]?.name, 'Bob')
      })

    for (const method of ['POST', 'PUT', 'PATCH'])
      for (const suffix of ['', '.xml', '.json'])
        it(`${method} /members/{id}${suffix}`, async () => {
          const id = await createMember({ name: 'Ann' })
          const path = `/members/${id}${suffix}`
          const refused = await send(method, path, bodyOf(invalid))
          assert.deepEqual([refused.status, refused.type], [400, typeOf(suffix)])
          assert.equal((await Member.findById(id))?.name, 'Ann')
          const part = await send(method, path, bodyOf({ name: 'Cid' }))
          const isPatch = method === 'PATCH'
          // After a 302, `fetch` would repeat PUT and PATCH.
          const done = suffix !== '' ? 200 : method === 'POST' ? 302 : 303
          assert.equal(part.status, isPatch ? done : 400)
          const whole = await send(method, path, bodyOf(valid))
          assert.equal(whole.status, done)
          if (suffix === '') assert.equal(whole.location, `/members/${id}`)
          else {
            assert.deepEqual([whole.text, whole.type], [(await send('GET', path)).text, typeOf(suffix)])
          }
          const { name, birthday } = (await Member.findById(id))!
          assert.deepEqual([name, String(birthday)], [valid.name, valid.birthday])
          assert.equal((await send(method, `/members/${id + 1}${suffix}`, bodyOf(valid))).status, 404)
        })
  })
}

describe('deleting', () => {
  for (const suffix of ['', '.xml', '.json'])
    it(`DELETE /members/{id}${suffix}`, async () => {
      const id = await createMember()
      const { status, location, text, type } = await send('DELETE', `/members/${id}${suffix}`)
      if (suffix === '') assert.deepEqual([status, location], [303, '/members'])
      else assert.deepEqual([status, text, type], [204, '', ''])
      assert.equal(await Member.count(), 0)
      assert.equal((await send('DELETE', `/members/${id}${suffix}`)).status, 404)
    })
})

it('a body of another type is 415, and a body without the token 403, before it is read', async () => {
  for (const suffix of suffixes) {
    const wrong = { body: 'name=Bob', type: 'text/plain' }
    assert.equal((await send('POST', `/members${suffix}`, wrong)).status, 415)
    const bare = await fetch(`${origin}/members${suffix}`, {
      method: 'POST',
      body: JSON.stringify(valid),
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(bare.status, 403)
  }
  assert.equal(await Member.count(), 0)
})
