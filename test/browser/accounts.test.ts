/** The accounts of `fw g authentication` in Chromium: with scripts and passkeys, and without both. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { generate, linkSources, newFolder } from '../generate/folder.ts'
import { violations } from '../support/accessibility.ts'
import { startBrowserAndExample } from '../support/browser-and-example.ts'

const root = newFolder()
beforeAll(() => {
  linkSources(root)
  generate(root, 'authentication')
})
const served = startBrowserAndExample(root)

/** WebAuthn needs a domain. */
const site = () => served.url.replace('127.0.0.1', 'localhost')
const password = 'correct horse battery staple'
const newPassword = 'a stack of wet paper bags'

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await served.browser.newContext({ baseURL: site(), ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(path)
  return page
}

/** The texts of the mails to an address, the oldest first. */
function mailsTo(address: string): string[] {
  const folder = join(root, 'tmp/mail')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name, 'mail.json'))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'))
    .filter((text) => text.includes(address))
}

/** Waits for the next mail to an address, and opens its link. */
async function followMail(page: Page, address: string, count: number): Promise<void> {
  await expect.poll(() => mailsTo(address).length, { timeout: 60_000 }).toBe(count)
  const path = /http:\/\/localhost:\d+(\/[^"\\\s]*token=[\w.-]+)/.exec(
    mailsTo(address)[count - 1]!,
  )![1]!
  await page.goto(path)
}

const fill = (page: Page, label: string, text: string) =>
  page.getByLabel(label, { exact: true }).fill(text)
const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).first().click()
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

async function register(
  page: Page,
  email: string,
  look = async (_page: Page) => {},
): Promise<void> {
  await page.goto('/register')
  await fill(page, 'Email', email)
  await press(page, 'Send the mail')
  await page.getByText('We have sent you a mail').waitFor()
  await followMail(page, email, 1)
  await fill(page, 'New password', 'short')
  await press(page, 'Save')
  await page.getByText('length must be between 15 and 200').waitFor()
  await look(page)
  await fill(page, 'New password', password)
  await press(page, 'Save')
  await heading(page, 'Log in')
}

async function logIn(page: Page, email: string, word: string): Promise<void> {
  await page.goto('/login')
  await fill(page, 'Email', email)
  await fill(page, 'Password', word)
  await press(page, 'Log in')
}

/** Adds a second factor, and returns its secret and a recovery code. */
async function addSecondFactor(page: Page) {
  await page.goto('/account/second-factor')
  const secret = await page.locator('main code').innerText()
  expect(await page.getByRole('img', { name: 'QR code of the key' }).locator('svg').count()).toBe(1)
  await fill(page, 'Code', new TOTP({ secret: Secret.fromBase32(secret) }).generate())
  await press(page, 'Save')
  await heading(page, 'Recovery codes')
  return page.locator('main li code').first().innerText()
}

/** Expects that axe finds nothing in the page. */
async function expectAccessible(page: Page): Promise<void> {
  const found = [await violations(page, 'light'), await violations(page, 'dark')]
  expect([page.url(), ...found]).toEqual([page.url(), [], []])
}

/** Walks through the pages that need no script, and calls `look` on those that only a link or a form leads to. */
async function walk(page: Page, email: string, look = async (_page: Page) => {}): Promise<void> {
  await register(page, email, look)
  await logIn(page, email, password)
  await heading(page, 'Account')
  const recovery = await addSecondFactor(page)
  await look(page)
  await page.goto('/account')
  await press(page, 'Log out')
  await logIn(page, email, 'a wrong password')
  await page.getByText('Email and password do not match.').waitFor()
  await look(page)
  await logIn(page, email, password)
  await heading(page, 'Second factor')
  await fill(page, 'Code', '000000')
  await press(page, 'Log in')
  await page.getByText('The code is wrong or was already used.').waitFor()
  await look(page)
  await fill(page, 'Code', recovery)
  await press(page, 'Log in')
  await heading(page, 'Account')
  await page.goto('/account/second-factor')
  await press(page, 'Remove the second factor')
  await heading(page, 'Account')
  await page.goto('/password')
  await fill(page, 'Email', email)
  await press(page, 'Send the mail')
  await followMail(page, email, 2)
  await heading(page, 'Choose a password')
  await look(page)
  await fill(page, 'New password', newPassword)
  await press(page, 'Save')
  await logIn(page, email, newPassword)
  await heading(page, 'Account')
  // The mail that the password was changed is the third.
  await expect.poll(() => mailsTo(email).length, { timeout: 60_000 }).toBe(3)
  await page.goto('/login/link')
  await fill(page, 'Email', email)
  await press(page, 'Send the mail')
  await followMail(page, email, 4)
  await look(page)
  await press(page, 'Log in')
  await heading(page, 'Account')
}

/** Logs in on another device, which logs out the first. */
async function logOutEverywhere(page: Page, email: string, options: BrowserContextOptions) {
  const other = await open('/login', options)
  await logIn(other, email, newPassword)
  await heading(other, 'Account')
  await press(other, 'Log out all other devices')
  await page.goto('/account')
  await heading(page, 'Log in')
  await other.goto('/account')
  await heading(other, 'Account')
  await other.context().close()
}

test('all but passkeys works without scripts', { timeout: 600_000 }, async () => {
  const options = { javaScriptEnabled: false }
  const page = await open('/login', options)
  expect(await page.getByRole('button', { name: 'Log in by a passkey' }).count()).toBe(0)
  await walk(page, 'ann@example.com')
  await logOutEverywhere(page, 'ann@example.com', options)
  await page.context().close()
})

test(
  'the same works with scripts, without errors and accessibly',
  { timeout: 600_000 },
  async () => {
    const page = await open('/login')
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(String(error)))
    await walk(page, 'cat@example.com', expectAccessible)
    await logOutEverywhere(page, 'cat@example.com', {})
    expect(problems).toEqual([])
    await page.context().close()
  },
)

test('a passkey is added, and logs in', { timeout: 600_000 }, async () => {
  const page = await open('/login')
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await register(page, 'bob@example.com')
  await logIn(page, 'bob@example.com', password)
  await heading(page, 'Account')
  await page.goto('/account/passkeys')
  await fill(page, 'Name', 'Laptop')
  await press(page, 'Add a passkey')
  await page.getByRole('cell', { name: 'Laptop' }).waitFor()
  const { credentials } = await devTools.send('WebAuthn.getCredentials', { authenticatorId })
  expect(credentials.map(({ isResidentCredential }) => isResidentCredential)).toEqual([true])
  await page.goto('/account/tokens')
  await press(page, 'Create a token')
  await page.getByText('is required').waitFor()
  await fill(page, 'Name', 'Script')
  await page.getByLabel('write', { exact: true }).check()
  await press(page, 'Create a token')
  expect(await page.getByRole('status').locator('code').innerText()).toMatch(/^api_[\w-]{43}$/)
  await page.getByRole('cell', { name: 'read, write' }).waitFor()
  await expectAccessible(page)
  for (const path of [
    '/account',
    '/account/security',
    '/account/tokens',
    '/account/passkeys',
    '/account/second-factor',
  ]) {
    await page.goto(path)
    await expectAccessible(page)
  }
  await page.goto('/account')
  // The list of addresses offers the passkey, and the device accepts it at once.
  await press(page, 'Log out')
  await heading(page, 'Account')
  await page.addInitScript(
    'PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)',
  )
  await press(page, 'Log out')
  await press(page, 'Log in by a passkey')
  await heading(page, 'Account')
  await page.getByText('bob@example.com').waitFor()
  expect(problems).toEqual([])
  await page.context().close()
})

test('the pages of visitors are accessible', { timeout: 200_000 }, async () => {
  const page = await open('/login')
  for (const path of ['/login', '/register', '/password', '/login/link']) {
    await page.goto(path)
    await expectAccessible(page)
  }
  await page.context().close()
})
