/** Passkeys: they are added, log in, and withstand replays and other sites. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp, type Visitor } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { Passkey } from '#model/passkey'
import { Authenticator } from '#test/authenticator'
import { createVisitor, visitorAt } from '#test/log-in'

const app = await testApp(Bootstrap)

const ask = async (visitor: Visitor, path: string) =>
  (await visitor.post(`${path}/options`, { form: {} })).json() as { readonly challenge: string }

/** A visitor whose account has the passkey of a device. */
async function createOwner(device = new Authenticator()) {
  const { visitor, user } = await createVisitor(app)
  await visitor.get('/account/passkeys')
  const credential = device.create(await ask(visitor, '/account/passkeys'))
  await visitor.post('/account/passkeys', { form: { name: 'Phone', credential } })
  return { visitor, user, device }
}

const logIn = async (device: Authenticator) => {
  const visitor = await visitorAt(app, '/login')
  const credential = device.get(await ask(visitor, '/login/passkey'))
  const response = await visitor.post('/login/passkey', { form: { credential } })
  return { visitor, credential, response }
}

describe('a passkey', () => {
  it('is asked for by a script, which its pages load', async () => {
    const page = await app.get('/login')
    const script = await app.get(page.attribute('script[type=module]', 'src') ?? '')
    assert.equal(script.status, 200)
    assert.match(script.headers.get('content-type') ?? '', /javascript/)
    assert.match(script.body, /navigator\.credentials/)
  })

  it('is added, and logs in without an address', async () => {
    const { visitor: owner, user, device } = await createOwner()
    assert.deepEqual((await owner.get('/account/passkeys')).all('td:first-child'), ['Phone'])
    const { visitor, response } = await logIn(device)
    assert.equal(response.location, '/desk/articles')
    assert.equal((await visitor.get('/account')).html('main p'), user.email)
  })

  it('is not accepted twice for one challenge, nor for that of another visitor', async () => {
    const { device } = await createOwner()
    const { visitor, credential } = await logIn(device)
    await visitor.post('/logout', { form: {} })
    await visitor.get('/login')
    const again = await visitor.post('/login/passkey', { form: { credential } })
    assert.equal(again.location, '/login')
    const other = await visitorAt(app, '/login')
    await ask(other, '/login/passkey')
    const stolen = await other.post('/login/passkey', { form: { credential } })
    assert.equal(stolen.location, '/login')
  })

  it('is not accepted from another site, nor from an unknown device', async () => {
    const { device } = await createOwner()
    const foreign = new Authenticator('https://evil.example')
    const unknown = new Authenticator()
    for (const one of [foreign, unknown])
      assert.equal((await logIn(one)).response.location, '/login')
    // A device that has the id of the passkey, but not its key.
    const forged = Object.assign(new Authenticator(), { id: device.id })
    assert.equal((await logIn(forged)).response.location, '/login')
  })

  it('is not added by a malformed answer', async () => {
    const { visitor } = await createVisitor(app)
    const texts = ['', 'x', 'null', '{}', '[]', '{"id":1}', '{"id":"a","response":{}}']
    for (const credential of texts) {
      await visitor.get('/account/passkeys')
      await ask(visitor, '/account/passkeys')
      const form = { name: 'Phone', credential }
      assert.ok((await visitor.post('/account/passkeys', { form })).status < 500)
      assert.equal((await visitor.post('/login/passkey', { form })).location, '/login')
    }
    assert.equal(await Passkey.count(), 0)
  })

  it('is removed by its owner only, which logs out the other devices', async () => {
    const { visitor, device } = await createOwner()
    const { visitor: thief } = await logIn(device)
    const { visitor: other } = await createVisitor(app)
    await other.get('/account/passkeys')
    const form = { id: device.id }
    assert.equal((await other.post('/account/passkeys/delete', { form })).status, 404)
    await visitor.get('/account/passkeys')
    await visitor.post('/account/passkeys/delete', { form })
    assert.equal(await Passkey.count(), 0)
    assert.equal((await logIn(device)).response.location, '/login')
    assert.equal((await visitor.get('/account')).status, 200)
    assert.equal((await thief.get('/account')).location, '/login')
  })
})
