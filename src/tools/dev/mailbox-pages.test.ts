/** The mailbox of development: its pages, and what a hostile mail can do in them. */
import { globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { HttpResponse } from '../../runtime/http.ts'
import { FolderMailbox, type Mail } from '../../runtime/mail.ts'
import { fetchHandler } from '../../runtime/server.ts'
import { Page } from '../testing.ts'
import { MailboxPages } from './mailbox-pages.ts'

const hostile = `<img src=x onerror=alert(1)>"'`
const mail: Mail = {
  id: '<1@example.com>',
  name: 'welcome',
  date: new Date(0),
  from: { name: hostile, address: 'shop@example.com' },
  to: [{ name: 'Ann', address: 'ann@example.com' }],
  cc: [],
  bcc: [{ name: '', address: 'hidden@example.com' }],
  replyTo: [],
  subject: `Welcome ${hostile}`,
  locale: 'en',
  html: '<!DOCTYPE html><html><head></head><body><p>Hello</p><script>alert(1)</script></body></html>',
  text: `Hello ${hostile}`,
  headers: { 'List-Unsubscribe': '<https://example.com/u>' },
  attachments: [
    { filename: 'a"b.html', contentType: 'text/html', content: Buffer.from('<script>1</script>') },
  ],
}

function open() {
  const root = mkdtempSync(join(tmpdir(), 'fw-mailbox-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const mailbox = new FolderMailbox(join(root, 'tmp/mail'))
  const pages = new MailboxPages(root, join(root, 'tmp/mail'))
  const fetch = fetchHandler(pages.wrap(() => new HttpResponse(404, 'application')))
  const request = async (path: string, options?: RequestInit): Promise<Page> => {
    const response = await fetch(new Request(`http://localhost${path}`, options), {
      remoteAddress: '127.0.0.1',
    })
    return new Page(response, new Uint8Array(await response.arrayBuffer()))
  }
  return { root, mailbox, request }
}

test('lists the mails, newest first, and deletes them', async () => {
  const { mailbox, request } = open()
  expect((await request('/_fw/mail')).html('p.empty')).toContain('No mail yet.')
  for (const subject of ['First', 'Second']) await mailbox.send({ ...mail, subject })
  const page = await request('/_fw/mail')
  expect(page.all('.mails a').toSorted()).toEqual(['First', 'Second'])
  expect(page.html('.mails td:nth-child(2)')).toBe('Ann <ann@example.com>')
  const foreign = { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } }
  expect((await request('/_fw/mail', foreign)).status).not.toBe(303)
  expect(await mailbox.keys()).toHaveLength(2)
  expect((await request('/_fw/mail', { method: 'POST' })).location).toBe('/_fw/mail')
  expect(await mailbox.keys()).toEqual([])
})

test('shows both bodies, the headers and the files; a hostile mail stays text', async () => {
  const { mailbox, request } = open()
  await mailbox.send(mail)
  const path = (await request('/_fw/mail')).attribute('.mails a', 'href')!
  const page = await request(path)
  expect(page.html('h1')).toBe(`Welcome ${hostile}`)
  expect(page.html('pre')).toBe(`Hello ${hostile}`)
  expect(page.all('img, script')).toEqual([])
  expect(page.all('td')).toEqual(
    expect.arrayContaining(['hidden@example.com', '<https://example.com/u>']),
  )
  expect(page.attribute('iframe', 'sandbox')).toBe('allow-popups allow-popups-to-escape-sandbox')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  const body = await request(page.attribute('iframe', 'src')!)
  expect(body.body).toContain('<head><base target="_blank"></head><body><p>Hello</p>')
  expect(body.headers.get('content-security-policy')).toMatch(/^sandbox allow-popups /)
  expect(body.headers.get('content-security-policy')).not.toContain('allow-scripts')
  const file = await request(`${path}/file/0`)
  expect(file.body).toBe('<script>1</script>')
  expect(file.headers.get('content-type')).toBe('application/octet-stream')
  expect(file.headers.get('content-disposition')).toContain('attachment; filename="a_b.html"')
})

test('renders the previews of src/test/mail, also after a change', async () => {
  const { root, request } = open()
  const folder = join(root, 'src/test/mail/admin')
  mkdirSync(folder, { recursive: true })
  const write = (subject: string) =>
    writeFileSync(
      join(folder, 'welcome-preview.ts'),
      `const mail = ${JSON.stringify({ ...mail, attachments: [], subject })}
export const previews = { 'A new/member': () => Promise.resolve({ ...mail, date: new Date(0) }) }`,
    )
  write('One')
  const href = (await request('/_fw/mail')).attribute('li a', 'href')!
  expect(href).toBe('/_fw/mail/preview/admin%2Fwelcome-preview.ts/A%20new%2Fmember')
  const page = await request(href)
  expect(page.html('h1')).toBe('One')
  expect((await request(page.attribute('iframe', 'src')!)).body).toContain('<p>Hello</p>')
  write('Another subject')
  expect((await request(href)).html('h1')).toBe('Another subject')
})

test('a preview without a mail names its file and the reason', async () => {
  const { root, request } = open()
  mkdirSync(join(root, 'src/test/mail'), { recursive: true })
  writeFileSync(
    join(root, 'src/test/mail/welcome-preview.ts'),
    'export const previews = { welcome: () => Promise.resolve(undefined) }',
  )
  const page = await request('/_fw/mail/preview/welcome-preview.ts/welcome')
  expect(page).toMatchObject({ status: 404 })
  expect(page.body).toBe(
    "The preview 'welcome' has no mail: its mailer returned undefined, as for a record that does not exist. Create the record, or change the arguments in src/test/mail/welcome-preview.ts.",
  )
})

test.each([
  '/_fw/mail/x',
  '/_fw/mail/..%2f..%2fpackage',
  '/_fw/mail/000000000-aaaaaaaaaaaa',
  '/_fw/mail/preview',
  '/_fw/mail/preview/x-preview.ts/y',
  '/_fw/mail/preview/..%2Fx-preview.ts/y',
])('%s is not found', async (path) => {
  expect(await open().request(path)).toMatchObject({ status: 404 })
})

test('other machines reach the application instead', async () => {
  const { mailbox } = open()
  await mailbox.send(mail)
  const root = mkdtempSync(join(tmpdir(), 'fw-mailbox-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const handle = new MailboxPages(root, root).wrap(() => new HttpResponse(404, 'application'))
  const response = await fetchHandler(handle)(new Request('http://localhost/_fw/mail'), {
    remoteAddress: '192.0.2.1',
  })
  expect(await response.text()).toBe('application')
})

test('a page of the list has 50 mails, of which it reads only summaries', async () => {
  const { root, mailbox, request } = open()
  for (let at = 0; at < 51; at++) await mailbox.send({ ...mail, subject: `Mail ${at}` })
  // Without the whole mails, the list stays the same.
  for (const file of globSync('tmp/mail/*/mail.json', { cwd: root })) rmSync(join(root, file))
  const first = await request('/_fw/mail')
  expect(first.all('.mails a')).toHaveLength(50)
  const second = await request(first.attribute('a[href*="?before="]', 'href')!)
  expect(second.all('.mails a')).toHaveLength(1)
  expect(second.attribute('a[href*="?before="]', 'href')).toBeUndefined()
  expect(new Set([...first.all('.mails a'), ...second.all('.mails a')]).size).toBe(51)
  expect((await request('/_fw/mail?before=x')).status).toBe(200)
})

test('a folder keeps the newest 200 mails', async () => {
  const { mailbox } = open()
  for (let at = 0; at < 203; at++) await mailbox.send({ ...mail, attachments: [] })
  const keys = await mailbox.keys()
  expect(keys).toHaveLength(200)
  expect(await mailbox.find(keys[0]!)).toMatchObject({ subject: mail.subject })
})

test('removes the mails that a killed process has not completed, and no others', async () => {
  const { root, mailbox } = open()
  const folder = join(root, 'tmp/mail')
  const unfinished = ['000000000-0123456789ab.tmp', 'zzzzzzzzz-0123456789ab.tmp']
  for (const name of unfinished) mkdirSync(join(folder, name), { recursive: true })
  await mailbox.send(mail)
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([unfinished[1]])
  expect(await mailbox.keys()).toHaveLength(1)
})
