/** Pages of a generated application in Arabic and in Japanese contain no Latin word but the names of the application. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse, TextNode, type HTMLElement, type Node } from 'node-html-parser'
import { afterAll, expect, test } from 'vitest'
import { sentMails, testApp } from '../../src/tools/testing.ts'
import { change, generate, linkSources, newFolder, removeFolder } from './folder.ts'

const root = newFolder()
afterAll(() => removeFolder(root))
// The names have no meaning, so that all other words on the pages are those of generators and of Fw.
generate(root, 'scaffold vimali vimal naku:String')
generate(
  root,
  'scaffold zomali zomal naku:String:varchar(80) pefi:Boolean? loru:enum:kaso,lipu zodi:LocalDate tebu:DateTime? foto:attachment? siti:url? mali:email? kosu:BigDecimal? lisu:String[] vimal:references texo:String?:text',
)
generate(root, 'scaffold bimali bimal naku:String --parent vimali')
generate(root, 'authentication')
for (const language of ['ar', 'ja']) generate(root, `language ${language}`)
const controller = 'src/main/controller/root-controller.ts'
change(root, controller, 'import {', 'import { HttpError, ')
change(
  root,
  controller,
  '  index() {',
  "  fail(): never {\n    throw new HttpError(Number(this.params.get('status')), 'Own text')\n  }\n\n  index() {",
)
change(root, controller, '  indexUrl', "  failUrl: r.get('/fail', 'fail').as('fail'),\n  indexUrl")
linkSources(root)
// Tests of the journal, whose accounts have a mail of the same name, may run in this process.
change(root, 'src/main/mail/account-mail.ts', "'account',", "'foreign-account',")
for (const ending of ['html', 'txt']) {
  const mail = join(root, 'src/main/webapp/WEB-INF/mail')
  renameSync(join(mail, `account.${ending}.ssp`), join(mail, `foreign-account.${ending}.ssp`))
}
const { Bootstrap } = await import(pathToFileURL(join(root, 'src/main/bootstrap.ts')).href)
const { defaultUser } = await import(pathToFileURL(join(root, 'src/test/default-user.ts')).href)
const app = await testApp(Bootstrap, { root })

/** Names, addresses and abbreviations, which are the same in each language. */
const names =
  /\b(?:My app|(?:Vimal|Zomal|Bimal)(?:i|s)?|Naku|Pefi|Loru|Kaso|Lipu|Zodi|Tebu|Foto|Siti|Mali|Kosu|Lisu|Texo|Miso|UTC|ID|URL|API|MB|UUID|TOTP|QR)\b|https?:\S+|\S+@\S+/gi
const shownAttributes = ['alt', 'aria-label', 'content', 'placeholder', 'title', 'value']

function* shownTexts(node: Node): Generator<string> {
  if (node instanceof TextNode) yield node.text
  const element = node as HTMLElement
  if (/^(?:script|style|code|meta|option)$/i.test(element.rawTagName ?? '')) return
  if (!/^(?:input|select|textarea)$/i.test(element.rawTagName ?? ''))
    for (const name of shownAttributes) yield element.getAttribute?.(name) ?? ''
  else yield element.getAttribute('aria-label') ?? ''
  for (const child of node.childNodes) yield* shownTexts(child)
}

function latinWords(page: HTMLElement): readonly string[] {
  // `visitor.as` names the device and the token so, and labels of buttons contain the name.
  const isNamed = page.querySelectorAll('td bdi').some(({ text }) => text === 'test')
  // An application chooses the names of its scopes.
  const scopes = page.querySelectorAll('label[for^="scope-"]').map(({ text }) => text)
  return [...shownTexts(page.querySelector('html') ?? page)].flatMap((text) => {
    if (text.split(', ').every((word) => scopes.includes(word))) return []
    const rest = isNamed ? text.replaceAll('test', ' ') : text
    return rest.replace(names, ' ').match(/\p{Script=Latin}{2,}/gu) ?? []
  })
}

test.each(['ar', 'ja'])('in %s', async (language) => {
  const visitor = app.session()
  const headers = { 'accept-language': language }
  const found: Record<string, readonly string[]> = {}
  const look = (name: string, page: { readonly body: string; readonly status: number }) => {
    const words = latinWords(parse(page.body))
    if (words.length > 0 || !page.body.includes(`lang="${language}"`))
      found[`${name} ${page.status}`] = words
  }
  const get = async (path: string, status = 200) => {
    const page = await visitor.get(path, { headers })
    expect([path, page.status]).toEqual([path, status])
    look(path, page)
    return page
  }
  const post = async (path: string, form: Record<string, string>, query = {}) => {
    const page = await visitor.post(path, { form, query, headers })
    if (page.location === undefined) look(`POST ${path}`, page)
    return page
  }
  for (const path of ['/', '/vimali', '/zomali', '/zomali/new']) await get(path)
  await get('/lost', 404)
  const headings = new Set<string>()
  for (const status of [400, 403, 404, 405, 409, 413, 422, 429, 500, 503]) {
    const { body } = await get(`/fail?status=${status}`, status)
    headings.add(parse(body).querySelector('h1')!.text)
  }
  // 405 has the heading of 404, and 422 that of 400.
  expect(headings.size).toBe(8)
  const parent = (await post('/vimali', { naku: 'Miso' })).location!
  await post('/zomali', {
    naku: '',
    loru: 'x',
    zodi: '1',
    kosu: 'x',
    siti: 'x',
    mali: 'x',
    tebuDate: 'x',
  })
  const form = {
    naku: 'Miso',
    loru: 'kaso',
    zodi: '2027-05-03',
    vimalId: parent.split('/').at(-1)!,
  }
  const saved = await post('/zomali', {
    ...form,
    tebuDate: '2027-05-03',
    tebuTime: '09:30',
    kosu: '1.5',
    siti: 'https://example.com',
    mali: 'ann@example.com',
  })
  const path = saved.location!
  for (const each of [
    path,
    `${path}/edit`,
    '/zomali',
    '/zomali?q=xyz',
    '/zomali?size=1',
    parent,
    `${parent}/bimali`,
    `${parent}/bimali/new`,
  ])
    await get(each)
  await post(parent, {}, { _method: 'DELETE' })
  await get(parent)
  await post(path, form)
  await get(path)
  await post(path, {}, { _method: 'DELETE' })
  await get('/zomali')
  for (const each of ['/login', '/register', '/password', '/login/link']) await get(each)
  await get('/logout', 405)
  await post('/register', { email: 'ann@example.com' })
  const href = (await sentMails()).at(-1)?.attribute('a.button', 'href') ?? ''
  expect(href).toContain('token=')
  await get(href.replace(/^https?:\/\/[^/]+/, ''))
  for (const each of ['/login', '/register', '/password', '/login/link'])
    await post(each, { email: 'x', password: '' })
  visitor.as(await defaultUser())
  for (const name of ['', '/security', '/second-factor', '/passkeys', '/tokens'])
    await get(`/account${name}`)
  for (const name of ['/security/password', '/security/email', '/second-factor', '/tokens'])
    await post(`/account${name}`, { password: 'x', email: 'x' })
  await post('/logout', {})
  await get('/login')
  expect(found).toEqual({})
})
