/** The second factor: its codes, recovery codes, and the attacks that they withstand. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp, type Visitor } from 'fwjs/testing'
import { Secret, TOTP } from 'otpauth'
import { Bootstrap } from '#main/bootstrap'
import { changePassword } from '#model/account'
import { RecoveryCode, SecondFactor } from '#model/second-factor'
import { createVisitor, logIn } from '#test/log-in'

const app = await testApp(Bootstrap)

/** The code of the half minute that begins `steps` after the current one. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + steps * 30_000,
  })

const createSecret = () => new Secret({ size: 20 }).base32

/** A visitor whose account has a second factor, with the secret and the recovery codes. */
async function createProtected() {
  const { visitor, user } = await createVisitor(app)
  const setUp = await visitor.get('/account/second-factor')
  const secret = setUp.html('main code')!
  const form = { code: codeOf(secret) }
  const page = await visitor.post('/account/second-factor', { form })
  return { visitor, user, secret, setUp, recovery: page.all('main li code') }
}

const enter = async (visitor: Visitor, code: string) => {
  await visitor.get('/login/code')
  return visitor.post('/login/code', { form: { code } })
}

describe('the second factor', () => {
  it('is added by a code, and its secret and recovery codes are stored encrypted', async () => {
    const { user, secret, setUp, recovery } = await createProtected()
    assert.ok(setUp.body.includes('<svg'))
    assert.equal(recovery.length, 10)
    const factor = await SecondFactor.findById(user.id)
    const stored = (await RecoveryCode.query().findAll()).map(({ codeHash }) => codeHash)
    const texts = JSON.stringify([factor?.sealedSecret, stored])
    for (const text of [secret, ...recovery]) assert.ok(!texts.includes(text))
  })

  it('logs out the other devices, which have proved only the password', async () => {
    const { user, visitor } = await createVisitor(app)
    const { visitor: other } = await logIn(app, { email: user.email })
    const secret = (await visitor.get('/account/second-factor')).html('main code')!
    await visitor.post('/account/second-factor', { form: { code: codeOf(secret) } })
    assert.equal((await visitor.get('/account')).status, 200)
    assert.equal((await other.get('/account')).location, '/login')
  })

  it('is not added by a wrong code', async () => {
    const { visitor } = await createVisitor(app)
    await visitor.get('/account/second-factor')
    const form = { code: codeOf(createSecret()) }
    assert.equal((await visitor.post('/account/second-factor', { form })).status, 400)
    assert.equal(await SecondFactor.count(), 0)
  })

  it('is asked for after the password, and nothing is open before', async () => {
    const { user, secret } = await createProtected()
    const { visitor, response } = await logIn(app, { email: user.email })
    assert.equal(response.location, '/login/code')
    assert.equal((await visitor.get('/account')).location, '/login')
    assert.equal((await enter(visitor, codeOf(createSecret()))).status, 401)
    await visitor.get('/account/security')
    const entered = await enter(visitor, codeOf(secret, 1))
    assert.equal(entered.location, '/account/security')
    assert.equal((await visitor.get('/account')).status, 200)
  })

  it('accepts each code once', async () => {
    const { user, secret, recovery } = await createProtected()
    for (const code of [codeOf(secret, 1), recovery[0]!.toLowerCase()]) {
      const statuses: number[] = []
      for (let at = 0; at < 2; at++) {
        const { visitor } = await logIn(app, { email: user.email })
        statuses.push((await enter(visitor, code)).status)
      }
      assert.deepEqual(statuses, [303, 401])
    }
    const { visitor } = await logIn(app, { email: user.email })
    // The code that has added the factor.
    assert.equal((await enter(visitor, codeOf(secret))).status, 401)
  })

  it('is not guessed: after five codes, the right one must wait too', async () => {
    const { user, secret } = await createProtected()
    const { visitor } = await logIn(app, { email: user.email })
    for (let at = 0; at < 5; at++) assert.equal((await enter(visitor, 'wrong')).status, 401)
    assert.equal((await enter(visitor, codeOf(secret, 1))).status, 429)
  })

  it('needs the password first', async () => {
    const visitor = app.session()
    await visitor.get('/login')
    assert.equal((await visitor.get('/login/code')).location, '/login')
    assert.equal((await visitor.post('/login/code', { form: { code: '1' } })).location, '/login')
  })

  it('is not asked for any more after a new password: the old one does not log in', async () => {
    const { user, secret } = await createProtected()
    const { visitor } = await logIn(app, { email: user.email })
    assert.ok(await changePassword(user, 'over the dunes at night'))
    await visitor.get('/login')
    const form = { code: codeOf(secret, 1) }
    assert.equal((await visitor.post('/login/code', { form })).location, '/login')
    assert.equal((await visitor.get('/account')).location, '/login')
  })

  it('is removed by its owner, which logs out the other devices', async () => {
    const { visitor, user, secret } = await createProtected()
    const { visitor: other } = await logIn(app, { email: user.email })
    await enter(other, codeOf(secret, 1))
    await visitor.get('/account/second-factor')
    await visitor.post('/account/second-factor/delete', { form: {} })
    assert.deepEqual([await SecondFactor.count(), await RecoveryCode.count()], [0, 0])
    assert.equal((await visitor.get('/account')).status, 200)
    assert.equal((await other.get('/account')).location, '/login')
    assert.equal((await logIn(app, { email: user.email })).response.location, '/desk/articles')
  })
})
