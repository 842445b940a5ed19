/** Sends mails to a real SMTP server with STARTTLS. */
import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Configuration, readSettings } from '../config.ts'
import type { Mail } from './message.ts'
import { mailSettings } from './settings.ts'
import { startSmtpServer, type SmtpServer } from './smtp-server.fixture.ts'
import { SmtpTransport } from './smtp-transport.ts'
import { MailError } from './transport.ts'

const named = (address: string, name = '') => ({ name, address })

const mail: Mail = {
  id: '<1@example.com>',
  name: 'welcome',
  date: new Date(0),
  from: named('shop@example.com', 'The Shop'),
  to: [named('ann@example.com', 'Ann')],
  cc: [],
  bcc: [],
  replyTo: [],
  subject: 'Welcome',
  locale: 'en',
  html: '<p>Hello</p>',
  text: 'Hello',
  headers: {},
  attachments: [],
}
const to = (...addresses: readonly string[]): Mail => ({
  ...mail,
  to: addresses.map((address) => named(address)),
})

function transport(url: string, options: Readonly<Record<string, unknown>> = {}): SmtpTransport {
  const { mail: settings } = readSettings(
    Configuration.from({ mail: { url, timeout: '1m', ...options } }),
    mailSettings,
  )
  const opened = new SmtpTransport(url, settings)
  onTestFinished(() => opened.close())
  return opened
}

const login = ({ port }: SmtpServer) => `smtp://shop:p%40ss@127.0.0.1:${port}`

/** Returns the error of sending, as the caller sees it. */
async function failure(sending: Promise<unknown>) {
  const error: unknown = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(MailError)
  const { code, isPermanent, message } = error as MailError
  return { code, isPermanent, message }
}

test('a mail arrives complete over STARTTLS with a verified certificate and a login', async () => {
  const server = await startSmtpServer()
  const smtp = transport(login(server), { tls: 'required', ca: server.ca })
  const sent = await smtp.send({
    ...mail,
    cc: [named('bob@example.com')],
    bcc: [named('hidden@example.com')],
    replyTo: [named('help@example.com', 'Help')],
    headers: { 'X-Order': '5' },
    attachments: [
      { filename: 'réport.txt', contentType: undefined, content: Buffer.from('two\r\nlines') },
      { filename: 'a.bin', contentType: 'image/png', content: new Uint8Array([0, 255]) },
    ],
  })
  expect(sent).toEqual({ refused: [] })
  const [received] = server.received
  expect(received).toMatchObject({
    recipients: ['ann@example.com', 'bob@example.com', 'hidden@example.com'],
    user: 'shop',
    isEncrypted: true,
    email: {
      messageId: '<1@example.com>',
      date: '1970-01-01T00:00:00.000Z',
      subject: 'Welcome',
      from: { name: 'The Shop', address: 'shop@example.com' },
      to: [{ name: 'Ann', address: 'ann@example.com' }],
      replyTo: [{ name: 'Help', address: 'help@example.com' }],
      attachments: [
        { filename: 'réport.txt', mimeType: 'text/plain' },
        { filename: 'a.bin', mimeType: 'image/png' },
      ],
    },
  })
  expect(received!.email.html).toContain('<p>Hello</p>')
  expect(received!.email.text).toContain('Hello')
  expect(received!.source).toContain('X-Order: 5')
  expect(received!.source).not.toContain('hidden')
})

test('mails share a few connections', async () => {
  const server = await startSmtpServer()
  const smtp = transport(login(server), { maxConnections: 2 })
  await Promise.all(Array.from({ length: 20 }, () => smtp.send(mail)))
  expect(server.received).toHaveLength(20)
  expect(server.connections).toBeLessThanOrEqual(2)
})

test('a refused recipient and a refused mail are permanent, with the reason of the server', async () => {
  const server = await startSmtpServer()
  const smtp = transport(login(server))
  expect(await failure(smtp.send(to('nobody@example.com')))).toEqual({
    code: 'mail.refused',
    isPermanent: true,
    message: `127.0.0.1:${server.port} refused the mail: nobody@example.com: 550 5.1.1 No such user here`,
  })
  expect(await failure(smtp.send({ ...mail, headers: { 'X-Spam': 'yes' } }))).toMatchObject({
    isPermanent: true,
    message: expect.stringContaining('refused the mail: Message failed: 554 5.7.1 Spam'),
  })
  expect(server.received).toEqual([])
})

test('a server that requires a login refuses the application, not the mail', async () => {
  const server = await startSmtpServer()
  const withoutLogin = transport(`smtp://127.0.0.1:${server.port}`)
  expect(await failure(withoutLogin.send(mail))).toEqual({
    code: 'mail.settings-refused',
    isPermanent: false,
    message: `127.0.0.1:${server.port} refused this application, not the mail: Mail command failed: 530 Error: authentication Required. Check mail.url, mail.tls and mail.from.`,
  })
})

test('a greylisted recipient and a full mailbox are tried again', async () => {
  const server = await startSmtpServer()
  const smtp = transport(login(server))
  expect(await failure(smtp.send(to('busy@example.com')))).toEqual({
    code: 'mail.not-sent',
    isPermanent: false,
    message: `127.0.0.1:${server.port} did not accept the mail: busy@example.com: 451 4.7.1 Greylisted, try again later`,
  })
  // The first refusal is permanent, the second is not: the mail as a whole can still be delivered.
  expect(await failure(smtp.send(to('nobody@example.com', 'full@example.com')))).toMatchObject({
    isPermanent: false,
  })
  await smtp.send(to('busy@example.com'))
  expect(server.received).toHaveLength(1)
})

test('the mail reaches the other recipients if some are refused, and the delivery names those', async () => {
  const server = await startSmtpServer()
  const smtp = transport(login(server))
  const delivery = await smtp.send(to('ann@example.com', 'nobody@example.com', 'full@example.com'))
  expect(delivery.refused).toEqual([
    { address: 'nobody@example.com', reason: '550 5.1.1 No such user here' },
    { address: 'full@example.com', reason: '452 4.2.2 Mailbox full' },
  ])
  const third = to('ann@example.com', 'bob@example.com')
  await smtp.send(third, ['bob@example.com'])
  expect(server.received.map(({ recipients }) => recipients)).toEqual([
    ['ann@example.com'],
    ['bob@example.com'],
  ])
})

test('a stalled connection fails after mail.timeout and can be tried again', async () => {
  const server = await startSmtpServer()
  const smtp = transport(login(server), { timeout: '300ms' })
  expect(await failure(smtp.send(to('stall@example.com')))).toMatchObject({
    code: 'mail.not-sent',
    isPermanent: false,
    message: expect.stringMatching(/did not accept the mail: .*time(?:d )?out/i),
  })
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as AddressInfo
  expect(
    await failure(transport(`smtp://127.0.0.1:${port}`, { timeout: '300ms' }).send(mail)),
  ).toMatchObject({
    isPermanent: false,
    // nodemailer has a timer for the greeting and one for the socket, which end at the same time.
    message: expect.stringMatching(
      new RegExp(`127.0.0.1:${port} did not accept the mail: (?:Greeting never received|Timeout)`),
    ),
  })
})

test('a wrong login and a server that does not answer can be tried again', async () => {
  const server = await startSmtpServer()
  const wrong = login(server).replace('p%40ss', 'wrong')
  const failed = await failure(transport(wrong).send(mail))
  expect(failed).toMatchObject({
    code: 'mail.settings-refused',
    isPermanent: false,
    message: expect.stringContaining('535'),
  })
  expect(failed.message).not.toContain('wrong')
  expect(await failure(transport('smtp://127.0.0.1:1').send(mail))).toMatchObject({
    isPermanent: false,
    message: expect.stringContaining('ECONNREFUSED'),
  })
})

test('without STARTTLS or with an unknown certificate nothing is sent, unless TLS is optional', async () => {
  const plain = await startSmtpServer({ disabledCommands: ['STARTTLS'], authOptional: true })
  const url = `smtp://127.0.0.1:${plain.port}`
  expect(await failure(transport(url, { tls: 'required' }).send(mail))).toMatchObject({
    code: 'mail.settings-refused',
    isPermanent: false,
    message: expect.stringContaining('STARTTLS'),
  })
  const encrypted = await startSmtpServer()
  const unknown = transport(login(encrypted), { tls: 'required' })
  expect(await failure(unknown.send(mail))).toMatchObject({
    isPermanent: false,
    message: expect.stringMatching(/self-signed certificate/i),
  })
  expect([...plain.received, ...encrypted.received]).toEqual([])
  await transport(url).send(mail)
  await transport(login(encrypted)).send(mail)
  expect(plain.received[0]!.isEncrypted).toBe(false)
  expect(encrypted.received[0]!.isEncrypted).toBe(true)
})

test('smtps begins with TLS', async () => {
  const server = await startSmtpServer({ secure: true })
  const smtp = transport(login(server).replace('smtp:', 'smtps:'), {
    tls: 'required',
    ca: server.ca,
  })
  await smtp.send(mail)
  expect(server.received[0]!.isEncrypted).toBe(true)
})
