/** Composes mails from messages, also from hostile ones, and sends them to a real SMTP server. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testProject, type TestProject } from '../../../test/view/project.ts'
import { generateViews } from '../../templates/compile.ts'
import { Configuration, readSettings } from '../config.ts'
import { MessageCatalog } from '../i18n.ts'
import { urlFor, type Route } from '../routing.ts'
import { createViewEngine } from '../view.ts'
import { composeMail, type MailServices } from './compose.ts'
import type { MailMessage } from './message.ts'
import { mailSettings } from './settings.ts'
import { startSmtpServer } from './smtp-server.fixture.ts'
import { SmtpTransport } from './smtp-transport.ts'

const { mail: settings } = readSettings(
  Configuration.from({ mail: { from: 'The Shop <shop@example.com>', maxSize: '4KiB' } }),
  mailSettings,
)
const messages = MessageCatalog.from({
  '': { hello: 'Hello {0}' },
  de: { hello: 'Hallo {0}' },
})
const controllers = `import { Route } from 'fwjs'
export const controllers = { orders: { showUrl: new Route('GET', '/orders/:id') } }
`

let project: TestProject
let services: MailServices
beforeAll(async () => {
  project = testProject({
    'mail/order.html.ssp': `<%@val name: string %>
<style>p { color: #123456 } @media (max-width: 600px) { p { color: red } }</style>
<p>\${s.i18n.getOrKey('hello', name)}</p><a href="\${s.url(routes.orders.showUrl, { id: 5 }, { a: 1, b: 2 })}">\${name}</a>`,
    'mail/order.txt.ssp': `<%@val name: string %>
\${s.i18n.getOrKey('hello', name)}: \${s.url(routes.orders.showUrl, { id: 5 })}`,
    'mail/layouts/default.html.ssp': `<%@val subject: string %>
<!doctype html><html lang="\${s.i18n.locale}"><head><title>\${subject}</title></head><body>\${body}</body></html>`,
  })
  project.write('src/main/controller/controllers.ts', controllers)
  generateViews(project)
  const views = createViewEngine({ ...project, mode: 'production' })
  await views.load()
  const path = (route: Route, params?: object, query?: object): string =>
    `/shop${urlFor(route, params as never, query as never)}`
  const assetPath = (name: string): string => `/shop/assets/${name}`
  services = { settings, messages, views, urls: { origin: 'https://example.com', path, assetPath } }
})
afterAll(() => project.remove())

const order: MailMessage = { to: 'ann@example.com', subject: 'Order', values: { name: 'Ann' } }
const compose = (change: Partial<MailMessage> = {}, own: Partial<MailServices> = {}) =>
  composeMail({ ...services, ...own }, 'order', { ...order, ...change }, 'key-1')

test('bodies have absolute URLs and inlined styles, in the language of the recipient', async () => {
  const mail = await compose({
    locale: 'de-AT',
    subject: (i18n) => i18n.getOrKey('hello', 'Ann'),
  })
  expect(mail).toMatchObject({
    id: '<key-1@example.com>',
    name: 'order',
    from: { name: 'The Shop', address: 'shop@example.com' },
    to: [{ name: '', address: 'ann@example.com' }],
    subject: 'Hallo Ann',
    text: 'Hallo Ann: https://example.com/shop/orders/5',
  })
  expect(mail.html).toContain('<html lang="de-AT">')
  expect(mail.html).toContain('<title>Hallo Ann</title>')
  expect(mail.html).toContain('<p style="color: #123456')
  expect(mail.html).toContain('@media (max-width: 600px)')
  expect(mail.html).toContain('href="https://example.com/shop/orders/5?a=1&amp;b=2"')
  expect(mail.html).not.toContain('nonce')
})

test('addresses are checked, domains become ASCII, and names are separate', async () => {
  const { to, replyTo } = await compose({
    to: [{ name: 'Jürgen', address: ' ju@MÜNCHEN.example ' }, 'bob+x@example.com'],
    replyTo: 'help@example.com',
  })
  expect(to).toEqual([
    { name: 'Jürgen', address: 'ju@xn--mnchen-3ya.example' },
    { name: '', address: 'bob+x@example.com' },
  ])
  expect(replyTo).toEqual([{ name: '', address: 'help@example.com' }])
})

test.each([
  'ann',
  'ann@example.com, bob@example.com',
  'ann@example.com\r\nBcc: bob@example.com',
  'Ann <ann@example.com>',
  '<ann@example.com>',
  'a,b@example.com',
  '"a b"@example.com',
  'a>@example.com',
  '@example.com',
  'ann@localhost',
])('the address %j is refused', async (address) => {
  await expect(compose({ to: address })).rejects.toMatchObject({ code: 'mail.address-invalid' })
  await expect(compose({ bcc: { name: 'x', address } })).rejects.toMatchObject({
    code: 'mail.address-invalid',
  })
})

const hostile = [
  'Ann\r\nBcc: evil@example.com',
  '<script>alert(1)</script>"\'&',
  'evil@example.com>, <x',
  '=?utf-8?Q?a=0D=0ABcc:_evil@example.com?=',
  'A\u2028B\u0000C\u0085D',
  '\u202e\u200bmoc',
  '"quoted\\" <evil@example.com>',
  'x'.repeat(200),
  'Ünïcödé 🦊',
]

test('a hostile name in subject, body, addresses and file names stays text', async () => {
  const server = await startSmtpServer({ authOptional: true })
  const url = `smtp://127.0.0.1:${server.port}`
  const smtp = new SmtpTransport(url, settings)
  for (const name of hostile) {
    const person = { name, address: 'ann@example.com' }
    const message = {
      to: person,
      from: { name, address: 'shop@example.com' },
      replyTo: person,
      subject: `Welcome, ${name}!`,
      values: { name },
      attachments: [{ filename: `${name}.txt`, content: 'x' }],
    }
    await smtp.send(await compose(message))
    const { recipients, email } = server.received.at(-1)!
    const line = name.replace(/[\r\n\u0000\u0085\u2028]+/g, ' ').replaceAll('=?', '= ?')
    expect(recipients).toEqual(['ann@example.com'])
    expect(email.to).toEqual([{ name: line, address: 'ann@example.com' }])
    expect(email.from).toEqual({ name: line, address: 'shop@example.com' })
    expect(email.cc ?? []).toEqual([])
    expect(email.bcc ?? []).toEqual([])
    expect(email.subject).toBe(`Welcome, ${line}!`)
    expect(email.attachments[0]!.filename).toBe(`${line}.txt`)
    expect(email.text).toContain(name.replace('\r\n', '\n'))
    expect(email.html).not.toContain('<script>')
  }
  smtp.close()
})

describe('a message is refused', () => {
  test.each<[Partial<MailMessage>, string]>([
    [{ to: [] }, 'needs a recipient'],
    [{ to: Array.from({ length: 101 }, (_, at) => `a${at}@example.com`) }, '101 recipients'],
    [{ subject: 'x'.repeat(251) }, 'The subject of a mail has 251 characters'],
    [{ to: { name: 'x'.repeat(251), address: 'a@example.com' } }, 'name of to'],
    [{ headers: { 'X-A': 'b\r\nBcc: c' } }, 'The header X-A of a mail has a line break'],
    [{ headers: { 'X-A: b\r\nBcc': 'c' } }, 'is not the name of a header'],
    [{ headers: { bcc: 'c@example.com' } }, 'cannot set the header bcc'],
    [{ headers: { 'Content-Type': 'text/html' } }, 'cannot set the header Content-Type'],
    [{ unsubscribe: 'https://x.example/\r\nBcc: y' }, 'must be an https or mailto URL'],
    [{ unsubscribe: 'javascript:alert(1)' }, 'must be an https or mailto URL'],
    [
      { attachments: [{ filename: 'a', content: '', contentType: 'a/b\r\nBcc: c' }] },
      'content type',
    ],
    [{ attachments: [{ filename: 'a', content: 'x'.repeat(4096) }] }, 'larger than mail.maxSize'],
  ])('%#', async (change, problem) => {
    await expect(compose(change)).rejects.toThrow(problem)
  })

  test('without a sender, or links without an origin', async () => {
    const unset = { settings: { ...settings, from: undefined } }
    await expect(compose({}, unset)).rejects.toMatchObject({ code: 'mail.not-configured' })
    await expect(
      compose({}, { urls: { ...services.urls, origin: undefined } }),
    ).rejects.toMatchObject({
      code: 'mail.origin-missing',
      message: expect.stringContaining('set origin, such as https://shop.example.com'),
    })
  })
})

test('the error of a stream that is not yet read is that of the mail, and other streams are closed', async () => {
  const missing = createReadStream('/no/such/file.pdf')
  const other = new Readable({ read() {} })
  const failing = compose({
    attachments: [
      { filename: 'a.pdf', content: missing },
      { filename: 'b.csv', content: other },
    ],
  })
  await expect(failing).rejects.toMatchObject({ code: 'ENOENT' })
  expect(other.destroyed).toBe(true)
})

test('attachments are texts, bytes and streams; a stream that is too large is closed', async () => {
  const { attachments } = await compose({
    attachments: [
      { filename: 'a.txt', content: 'é' },
      { filename: 'b.pdf', content: new Uint8Array([1]), contentType: 'application/pdf' },
      { filename: 'c.csv', content: Readable.from([Buffer.from('a'), Buffer.from('b')]) },
    ],
  })
  expect(attachments).toMatchObject([
    { filename: 'a.txt', contentType: undefined },
    { filename: 'b.pdf', contentType: 'application/pdf' },
    { filename: 'c.csv' },
  ])
  expect(attachments.map(({ content }) => Buffer.from(content).toString('hex'))).toEqual([
    'c3a9',
    '01',
    '6162',
  ])
  let isClosed = false
  async function* endless() {
    try {
      for (;;) yield Buffer.alloc(1024)
    } finally {
      isClosed = true
    }
  }
  await expect(compose({ attachments: [{ filename: 'x', content: endless() }] })).rejects.toThrow(
    'larger than mail.maxSize',
  )
  expect(isClosed).toBe(true)
})

test('a mail tells mail programs how to unsubscribe', async () => {
  expect((await compose({ unsubscribe: 'https://example.com/u/1?t=2' })).headers).toEqual({
    'List-Unsubscribe': '<https://example.com/u/1?t=2>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
  expect((await compose({ unsubscribe: 'mailto:u@example.com' })).headers).toEqual({
    'List-Unsubscribe': '<mailto:u@example.com>',
  })
})
