/** Accounts: registration, login, mailed links, devices, and the attacks that they withstand. */
import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { describe, it } from 'node:test'
import { permitValues, Temporal } from 'fwjs'
import { currentDatabase } from 'fwjs/db'
import { runJobs, sentMails, testApp, type Visitor } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { SweepAccounts } from '#main/job/sweep-accounts'
import { createAccount, findByPassword } from '#model/account'
import { Login, logins } from '#model/login'
import { User } from '#model/user'
import { createSampleAccount, samplePassword as password } from '#test/factory/account'
import { createVisitor, logIn, visitorAt } from '#test/log-in'

const app = await testApp(Bootstrap)
const newPassword = 'over the dunes at night'
const ann = 'ann@example.com'
const create = (email: string) => createSampleAccount({ email })

/** Sends a form that mails a link, and returns the address of the link. */
async function mailedLink(path: string, email: string): Promise<string> {
  const visitor = await visitorAt(app, path)
  await visitor.post(path, { form: { email } })
  const href = (await sentMails()).at(-1)?.attribute('a.button', 'href') ?? ''
  return href.replace(/^https?:\/\/[^/]+/, '')
}

/** Opens a mailed link, and sends its form. */
async function useLink(link: string, form: Record<string, string> = {}) {
  const visitor = app.session()
  const page = await visitor.get(link)
  await visitor.follow(page)
  const { pathname, searchParams } = new URL(link, 'http://localhost')
  const token = searchParams.get('token') ?? ''
  return { page, response: await visitor.post(pathname, { form: { token, ...form } }) }
}

const run = (sql: string) => currentDatabase().query({ sql, parameters: [] })
const expireSessions = () => run("update fw_sessions set expire_at = now() - interval '1 day'")

/** The headers of a browser, whose forms need no token. */
const headers = { 'sec-fetch-site': 'same-origin' }

const isLoggedIn = async (visitor: Visitor) => (await visitor.get('/account')).status === 200

describe('registration', () => {
  it('mails a link, which leads to the choice of a password and creates the account', async () => {
    const link = await mailedLink('/register', 'Ann@Example.com')
    assert.equal(await User.count(), 0)
    const { page, response } = await useLink(link, { name: 'Ann', password: newPassword })
    assert.equal(page.status, 200)
    assert.equal(response.location, '/login')
    assert.equal((await User.findBy({ email: ann }))?.email, ann)
    assert.equal((await logIn(app, { email: ann, password: newPassword })).page.status, 200)
  })

  it('refuses a short password, and does not send it back', async () => {
    const link = await mailedLink('/register', ann)
    const { response } = await useLink(link, { name: 'Ann', password: 'short' })
    assert.equal(response.status, 400)
    assert.equal(response.attribute('#password', 'value'), undefined)
    assert.equal(await User.count(), 0)
  })

  it('creates one account, in however many requests at the same time', async () => {
    const racing = Array.from({ length: 20 }, () => createAccount(ann, 'Ann', newPassword))
    const created = await Promise.all(racing)
    assert.equal(created.filter(({ isNew }) => isNew).length, 1)
    assert.equal(await User.count(), 1)
  })

  it('does nothing by a link whose address has an account meanwhile', async () => {
    const link = await mailedLink('/register', ann)
    await create(ann)
    await useLink(link, { name: 'Ann', password: newPassword })
    assert.equal((await logIn(app, { email: ann, password: newPassword })).response.status, 401)
  })
})

describe('login', () => {
  it('leads back to the page that required it', async () => {
    const { email } = await create(ann)
    const visitor = app.session()
    const refused = await visitor.get('/account/security')
    assert.equal(refused.location, '/login')
    await visitor.follow(refused)
    const entered = await visitor.post('/login', { form: { email, password } })
    assert.equal(entered.location, '/account/security')
    assert.equal((await visitor.follow(entered)).status, 200)
  })

  it('leads to no other site', async () => {
    const { email } = await create(ann)
    for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example'])
      for (const key of ['next', 'return-to', 'return_to', 'redirect'])
        assert.equal((await logIn(app, { email, [key]: next })).response.location, '/desk/articles')
  })

  it('changes the id of the session', async () => {
    const { email } = await create(ann)
    const visitor = await visitorAt(app, '/account')
    const before = (await visitor.get('/login')).headers.getSetCookie()
    const response = await visitor.post('/login', { form: { email, password } })
    const [cookie] = response.headers.getSetCookie().filter((one) => /session=/.test(one))
    assert.ok(cookie)
    assert.ok(!before.includes(cookie))
  })

  it('refuses a form of another site', async () => {
    const { email } = await create(ann)
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const response = await app.post('/login', { form: { email, password }, headers })
    assert.equal(response.status, 403)
  })

  it('of many wrong passwords, refuses the right one too; a known device is not locked out', async () => {
    const { visitor: owner, user } = await createVisitor(app)
    const { email } = user
    await owner.post('/logout', { form: {} })
    const statuses: number[] = []
    for (let at = 0; at < 6; at++)
      statuses.push((await logIn(app, { email, password: 'wrong' })).response.status)
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
    assert.equal((await logIn(app, { email })).response.status, 429)
    await owner.get('/login')
    assert.equal((await owner.post('/login', { form: { email, password } })).status, 303)
  })

  it('over https has cookies that no other site of the domain can set', async () => {
    const { email } = await create(ann)
    const form = { email, password, remember: 'true' }
    const { headers: set } = await app.post('https://localhost/login', { form, headers })
    const names = set.getSetCookie().map((cookie) => cookie.slice(0, cookie.indexOf('=')))
    for (const name of ['__Host-remember_logins', '__Host-device']) assert.ok(names.includes(name))
  })

  it('of two devices at the same time renews an old hash, and both log in', async () => {
    const { id } = await create(ann)
    // The hash of the same password with lower costs.
    const passwordHash =
      '$argon2id$v=19$m=64,t=1,p=1$gli1CYCFWltiPjBDsjzkzA$Ipx8E8LRFiFhxHM3gumr1vXxXybqUnD8QPPAel5uC94'
    await User.where({ id }).updateAll(permitValues({ passwordHash }, 'passwordHash'))
    const found = await Promise.all([findByPassword(ann, password), findByPassword(ann, password)])
    for (const one of found) assert.ok(one !== undefined && one.passwordHash !== passwordHash)
  })

  it('ends by the logout', async () => {
    const { visitor } = await createVisitor(app, { remember: 'true' })
    assert.ok(await isLoggedIn(visitor))
    await visitor.post('/logout', { form: {} })
    assert.ok(!(await isLoggedIn(visitor)))
    assert.equal(await Login.count(), 0)
  })
})

describe('limits', () => {
  const statuses = async (count: number, send: () => Promise<{ readonly status: number }>) => {
    const all: number[] = []
    for (let at = 0; at < count; at++) all.push((await send()).status)
    return all
  }

  it('of one kind of mail do not keep the owner from another, nor a known device from any', async () => {
    const { visitor: owner, user } = await createVisitor(app)
    const form = { email: user.email }
    for (const path of ['/register', '/password']) {
      const sent = await statuses(6, () => app.post(path, { form, headers }))
      assert.deepEqual(sent, [303, 303, 303, 303, 303, 429])
    }
    assert.equal((await app.post('/login/link', { form, headers })).status, 303)
    assert.equal((await owner.post('/password', { form, headers })).status, 303)
  })

  it('apply to the settings of an account', async () => {
    const { visitor } = await createVisitor(app)
    const wrong = { currentPassword: 'wrong', password: newPassword }
    let at = 0
    // Another address each time does not evade the limit.
    const change = () =>
      visitor.post('/account/security/password', {
        form: { ...wrong, email: `${at++}@example.com` },
        headers,
      })
    assert.deepEqual(await statuses(6, change), [400, 400, 400, 400, 400, 429])
    const mail = () => visitor.post('/account/security/email', { form: { email: ann }, headers })
    assert.deepEqual(await statuses(6, mail), [303, 303, 303, 303, 303, 429])
  })

  it('of one account apply to guesses of a visitor who is logged in to another', async () => {
    const { visitor } = await createVisitor(app)
    const { email } = await create(ann)
    const guess = () => visitor.post('/login', { form: { email, password: 'wrong' }, headers })
    assert.deepEqual(await statuses(6, guess), [401, 401, 401, 401, 401, 429])
    assert.equal((await logIn(app, { email })).response.status, 429)
  })

  for (const path of ['/register/finish', '/password/new'])
    it(`apply to each client: ${path}`, async () => {
      const all = await statuses(51, () => app.post(path, { form: { token: 'x' }, headers }))
      assert.deepEqual([all[49], all[50]], [303, 429])
    })
})

describe('unknown addresses', () => {
  /** Sends a form, and counts its work: statements and computed passwords. */
  async function measure(path: string, form: Record<string, string>) {
    const visitor = await visitorAt(app, path)
    const work: string[] = []
    const addStatement = (event: unknown) => work.push((event as { sql: string }).sql)
    const addPassword = () => work.push('password')
    diagnostics.subscribe('fw:sql:end', addStatement)
    diagnostics.subscribe('fw:password:end', addPassword)
    const { status, location, body } = await visitor.post(path, { form })
    diagnostics.unsubscribe('fw:sql:end', addStatement)
    diagnostics.unsubscribe('fw:password:end', addPassword)
    const withoutToken = body.replace(/value="[^"]*"|content="[^"]*"|nonce="[^"]*"/g, '')
    return { status, location, body: withoutToken, work }
  }

  for (const [path, form] of [
    ['/login', { password: 'wrong password' }],
    ['/register', {}],
    ['/password', {}],
    ['/login/link', {}],
  ] as const)
    it(`get the response of known ones after the same work: ${path}`, async () => {
      await create(ann)
      const known = await measure(path, { email: ann, ...form })
      const unknown = await measure(path, { email: 'bob@example.com', ...form })
      assert.deepEqual(unknown, known)
      assert.ok(known.work.length > 0)
    })

  it('get no mail, but the one that a new account needs', async () => {
    for (const path of ['/password', '/login/link']) await mailedLink(path, ann)
    assert.deepEqual(await sentMails(), [])
  })
})

describe('a forgotten password', () => {
  it('is replaced by a mailed link, which logs out all devices', async () => {
    const { visitor, user } = await createVisitor(app)
    const { response } = await useLink(await mailedLink('/password', user.email), {
      password: newPassword,
    })
    assert.equal(response.location, '/login')
    assert.ok(!(await isLoggedIn(visitor)))
    const { email } = user
    assert.equal((await logIn(app, { email })).response.status, 401)
    assert.equal((await logIn(app, { email, password: newPassword })).response.status, 303)
    assert.equal((await sentMails()).at(-1)?.subject, 'Your password was changed')
  })

  it('is not replaced by a used link, nor by one from before a change', async () => {
    const { email } = await create(ann)
    const links = [await mailedLink('/password', email), await mailedLink('/password', email)]
    await useLink(links[0]!, { password: newPassword })
    for (const link of links) {
      const { page, response } = await useLink(link, { password: 'another new password' })
      assert.equal(page.location, '/password')
      assert.equal(response.location, '/password')
    }
    assert.equal((await logIn(app, { email, password: newPassword })).response.status, 303)
  })
})

describe('mails', () => {
  it('go to the address of the account, not to the spelling that a visitor has typed', async () => {
    await create('kim@example.com')
    for (const path of ['/password', '/login/link', '/register'])
      for (const email of ['KIM@example.com', '\u212Aim@example.com']) await mailedLink(path, email)
    const mails = await sentMails()
    assert.ok(mails.length >= 3)
    for (const { to } of mails) assert.deepEqual(to, ['kim@example.com'])
  })

  it('of a thief end when the owner resets the password', async () => {
    const { visitor: thief, user } = await createVisitor(app)
    const form = { email: 'thief@example.com' }
    await thief.post('/account/security/email', { form, headers })
    const href = (await sentMails()).at(-1)?.attribute('a.button', 'href') ?? ''
    const change = href.replace(/^https?:\/\/[^/]+/, '')
    const magic = await mailedLink('/login/link', user.email)
    await useLink(await mailedLink('/password', user.email), { password: newPassword })
    assert.equal((await useLink(change)).page.status, 303)
    assert.equal((await useLink(magic)).page.location, '/login/link')
    assert.equal((await User.findById(user.id))?.email, user.email)
  })
})

describe('a link to log in', () => {
  it('works once, and not by opening it', async () => {
    const { email } = await create(ann)
    const link = await mailedLink('/login/link', email)
    await app.get(link)
    assert.equal((await useLink(link)).response.location, '/desk/articles')
    assert.equal((await useLink(link)).response.location, '/login/link')
  })

  it('is no link for anything else', async () => {
    await create(ann)
    const magic = await mailedLink('/login/link', ann)
    const reset = await mailedLink('/password', ann)
    const query = (link: string) => link.slice(link.indexOf('?'))
    assert.equal((await app.get(`/password/new${query(magic)}`)).location, '/password')
    assert.equal((await app.get(`/login/link/enter${query(reset)}`)).location, '/login/link')
    assert.equal((await app.get(`/register/finish${query(reset)}`)).location, '/register')
  })
})

describe('a remembered device', () => {
  const cookieOf = (headers: Headers) =>
    /^remember_logins=([^;]+)/m.exec(headers.getSetCookie().join('\n'))?.[1] ?? ''
  const open = (token: string) =>
    app.get('/account', { headers: { cookie: `remember_logins=${token}` } })

  it('stays logged in without its session, and gets a new token', async () => {
    const { response } = await createVisitor(app, { remember: 'true' })
    const token = cookieOf(response.headers)
    const page = await open(token)
    assert.equal(page.status, 200)
    assert.notEqual(cookieOf(page.headers), token)
    assert.equal((await open(cookieOf(page.headers))).status, 200)
    const [login] = await Login.query().findAll()
    assert.ok(!JSON.stringify([login, login?.rememberHash]).includes(token.split('.')[1]!))
  })

  it('is logged out on both sides if a replaced token is used: it was stolen', async () => {
    const { visitor, response } = await createVisitor(app, { remember: 'true' })
    const stolen = cookieOf(response.headers)
    const current = cookieOf((await open(stolen)).headers)
    // Requests that the browser has sent at the same time.
    assert.equal((await open(stolen)).status, 200)
    const earlier = Temporal.Now.instant().subtract({ minutes: 1 })
    await Login.query().updateAll(permitValues({ rotatedAt: earlier }, 'rotatedAt'))
    assert.equal((await open(stolen)).location, '/login')
    assert.equal((await open(current)).location, '/login')
    assert.ok(!(await isLoggedIn(visitor)))
  })

  it('is known in the request that resumes its login', async () => {
    const { visitor, user } = await createVisitor(app, { remember: 'true' })
    const other = await logIn(app, { email: user.email, remember: 'true' })
    await expireSessions()
    assert.equal((await visitor.post('/account/logins/end', { form: {}, headers })).status, 303)
    assert.ok(await isLoggedIn(visitor))
    assert.ok(!(await isLoggedIn(other.visitor)))
    await expireSessions()
    await visitor.post('/logout', { form: {}, headers })
    assert.equal(await Login.count(), 0)
    assert.ok(!(await isLoggedIn(visitor)))
  })

  it('is forgotten when somebody else logs in', async () => {
    const { visitor } = await createVisitor(app, { remember: 'true' })
    const { email } = await create(ann)
    await expireSessions()
    await visitor.post('/login', { form: { email, password }, headers })
    await expireSessions()
    assert.ok(!(await isLoggedIn(visitor)))
  })

  it('is logged out after 60 days without a visit, and swept', async () => {
    const { response } = await createVisitor(app, { remember: 'true' })
    const old = "now() - interval '61 days'"
    await run(`update logins set rotated_at = ${old}`)
    assert.equal((await open(cookieOf(response.headers))).location, '/login')
    await createVisitor(app)
    await run(`update logins set updated_at = ${old}`)
    await SweepAccounts.enqueue()
    await runJobs()
    assert.equal(await Login.count(), 0)
  })

  it('is not found by tokens that visitors make up', async () => {
    await createVisitor(app, { remember: 'true' })
    const [login] = await Login.query().findAll()
    const guess = `${login!.id}.${'a'.repeat(43)}`
    const [short, unknown] = [`1.${'a'.repeat(42)}`, `999999.${'a'.repeat(43)}`]
    for (const token of ['', '1', '1.', short, unknown, guess, `${guess}.${'a'.repeat(43)}`, 'a.b'])
      assert.equal((await open(token)).location, '/login')
    assert.equal(await Login.count(), 1)
  })
})

describe('the account', () => {
  it('lists its devices, and logs out one or all others', async () => {
    const { visitor, user } = await createVisitor(app)
    const { email } = user
    const [second, third] = [await logIn(app, { email }), await logIn(app, { email })]
    const page = await visitor.get('/account')
    assert.equal(page.all('tbody tr').length, 3)
    await visitor.post(page.attribute('tbody form', 'action')!, { form: {} })
    assert.ok(await isLoggedIn(second.visitor))
    assert.ok(!(await isLoggedIn(third.visitor)))
    await visitor.post('/account/logins/end', { form: {} })
    assert.ok(!(await isLoggedIn(second.visitor)))
    assert.ok(await isLoggedIn(visitor))
  })

  it('does not log out the devices of others', async () => {
    const { visitor } = await createVisitor(app)
    const other = await createVisitor(app)
    const [login] = await Login.where({ userId: other.user.id }).findAll()
    assert.equal((await visitor.post(`/account/logins/${login!.id}/end`, { form: {} })).status, 404)
    assert.ok(await isLoggedIn(other.visitor))
  })

  it('requires a new login for its settings after ten minutes', async () => {
    const { id } = await create(ann)
    const login = await logins.sessionOf({ id })
    const attributes = { ...login, freshAt: Date.now() - 11 * 60 * 1000 }
    const visitor = app.session({ attributes })
    assert.equal((await visitor.get('/account')).status, 200)
    assert.equal((await visitor.get('/account/security')).location, '/login')
  })

  it('changes the password with the old one, and logs out the other devices', async () => {
    const { visitor, user } = await createVisitor(app, { remember: 'true' })
    const { email } = user
    const other = await logIn(app, { email })
    const path = '/account/security/password'
    const wrong = await visitor.post(path, {
      form: { currentPassword: 'wrong', password: newPassword },
    })
    assert.equal(wrong.status, 400)
    const changed = await visitor.post(path, {
      form: { currentPassword: password, password: newPassword },
    })
    assert.equal(changed.status, 303)
    assert.ok(await isLoggedIn(visitor))
    assert.ok(!(await isLoggedIn(other.visitor)))
    await expireSessions()
    assert.ok(await isLoggedIn(visitor))
    assert.equal((await logIn(app, { email, password: newPassword })).response.status, 303)
  })

  it('gets a new address by a link to it, and the old one a notice', async () => {
    const { visitor, user } = await createVisitor(app)
    const other = await logIn(app, { email: user.email })
    await visitor.post('/account/security/email', { form: { email: 'new@example.com' } })
    const href = (await sentMails()).at(-1)?.attribute('a.button', 'href') ?? ''
    const link = href.replace(/^https?:\/\/[^/]+/, '')
    assert.equal((await User.findById(user.id))?.email, user.email)
    const token = new URL(href).searchParams.get('token') ?? ''
    await visitor.post('/account/email', { form: { token }, headers })
    assert.ok(await isLoggedIn(visitor))
    assert.ok(!(await isLoggedIn(other.visitor)))
    assert.equal((await User.findById(user.id))?.email, 'new@example.com')
    const mails = await sentMails()
    assert.deepEqual(mails[0]?.to, ['new@example.com'])
    assert.deepEqual(mails[1]?.to, [user.email])
    assert.equal((await useLink(link)).page.status, 303)
  })

  it('gets no new address by a login that has ended before the mail is sent', async () => {
    const { visitor, user } = await createVisitor(app)
    await visitor.post('/account/security/email', { form: { email: 'thief@example.com' } })
    await logins.endAll(user)
    assert.deepEqual(await sentMails(), [])
  })

  it('does not get its address of before by a link that was used', async () => {
    const { visitor, user } = await createVisitor(app)
    const change = async (email: string) => {
      await visitor.post('/account/security/email', { form: { email }, headers })
      const mails = (await sentMails()).filter(({ to }) => to.includes(email))
      const href = mails.at(-1)?.attribute('a.button', 'href') ?? ''
      const token = new URL(href).searchParams.get('token') ?? ''
      await visitor.post('/account/email', { form: { token }, headers })
      return href.replace(/^https?:\/\/[^/]+/, '')
    }
    const link = await change('wrong@example.com')
    await change(user.email)
    assert.equal((await useLink(link)).page.status, 303)
    assert.equal((await User.findById(user.id))?.email, user.email)
  })

  it('does not take the address of another account', async () => {
    const { visitor, user } = await createVisitor(app)
    const other = await create('new@example.com')
    await visitor.post('/account/security/email', { form: { email: other.email } })
    const [mail] = await sentMails()
    assert.deepEqual(mail?.to, [other.email])
    assert.doesNotMatch(mail.text, /token=/)
    assert.equal((await User.findById(user.id))?.email, user.email)
  })

  it('does not take an address that another account has got meanwhile', async () => {
    const { visitor, user } = await createVisitor(app)
    await visitor.post('/account/security/email', { form: { email: 'new@example.com' } })
    const href = (await sentMails()).at(-1)?.attribute('a.button', 'href') ?? ''
    await create('new@example.com')
    const { response } = await useLink(href.replace(/^https?:\/\/[^/]+/, ''))
    assert.equal(response.location, '/account')
    assert.equal((await User.findById(user.id))?.email, user.email)
  })

  it('is deleted with its devices', async () => {
    const { visitor } = await createVisitor(app)
    await visitor.post('/account/security/delete', { form: {} })
    assert.deepEqual([await User.count(), await Login.count()], [0, 0])
    assert.ok(!(await isLoggedIn(visitor)))
    const [mail] = await sentMails()
    // There is no account to log in to.
    assert.equal(mail?.attribute('a', 'href'), undefined)
    assert.doesNotMatch(mail?.text ?? 'http:', /https?:/)
    assert.equal(mail?.subject, 'Your account was deleted')
  })

  it('contains no secret that leaves the application', async () => {
    const user = await create(ann)
    assert.doesNotMatch(JSON.stringify(user), /argon2/)
    assert.match(user.passwordHash ?? '', /^\$argon2id\$/)
  })
})
