/** The pages and mails of a generated application have the direction of their language. */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { testApp } from '../../src/tools/testing.ts'
import { change, generate, linkSources, newFolder, removeFolder } from './folder.ts'

const root = newFolder()
afterAll(() => removeFolder(root))
generate(root, 'scaffold meetings meeting name:String startsAt:DateTime')
generate(root, 'mailer welcome link:url')
for (const language of ['ar', 'he'])
  writeFileSync(join(root, `src/main/resources/messages_${language}.yml`), 'site: {}\n')
change(root, 'src/main/mail/welcome-mail.ts', 'subject: ', "locale: 'ar', subject: ")
linkSources(root)
const { WelcomeMail } = await import(
  pathToFileURL(join(root, 'src/main/mail/welcome-mail.ts')).href
)
const { Bootstrap } = await import(pathToFileURL(join(root, 'src/main/bootstrap.ts')).href)
const app = await testApp(Bootstrap, { root })

test.each([
  ['ar-EG', 'ar', 'rtl'],
  ['he,en;q=0.5', 'he', 'rtl'],
  ['en', 'en', 'ltr'],
])('pages for %s are in %s, %s', async (header, language, direction) => {
  const visitor = app.session()
  for (const path of ['/', '/meetings', '/meetings/new', '/nowhere']) {
    const page = await visitor.get(path, { headers: { 'accept-language': header } })
    expect([path, page.attribute('html', 'lang'), page.attribute('html', 'dir')]).toEqual([
      path,
      language,
      direction,
    ])
  }
})

test('values on pages have their own direction, and empty ones are empty', () => {
  const views = 'src/main/webapp/WEB-INF/views/meetings'
  const read = (view: string) => readFileSync(join(root, views, `${view}.html.ssp`), 'utf8')
  const isolated = ['${item.name}', '${heading}'].map((value) => `<bdi>${value}</bdi>`)
  expect(read('show')).toContain(`<dd>#if (item.name)${isolated[0]}#end</dd>`)
  expect(read('show')).toContain(`<h1>${isolated[1]}</h1>`)
  expect(read('index')).toContain(`${isolated[0]}</a></td>`)
  expect(read('edit')).toContain(`${isolated[0]}</a>`)
})

test('a form with an old token is repeated in the direction of its page', async () => {
  const page = await app.session().post('/meetings', {
    form: { name: 'Talk' },
    headers: { Origin: 'http://localhost', 'accept-language': 'ar' },
  })
  expect(page.status).toBe(422)
  expect([page.attribute('html', 'lang'), page.attribute('html', 'dir')]).toEqual(['ar', 'rtl'])
})

test('a mail is in the language of its recipient', async () => {
  const { html } = await WelcomeMail.render({ to: 'ann@example.com', link: 'https://example.com' })
  expect(html).toContain('<html lang="ar" dir="rtl">')
})

const repository = join(import.meta.dirname, '../..')
const styleSheets = globSync('{templates,examples}/**/assets/css/*.css{,.tpl}', { cwd: repository })

test.each(styleSheets.filter((file) => !file.includes('node_modules')))(
  '%s names no side of the page: it uses start and end',
  (file) => {
    expect(readFileSync(join(repository, file), 'utf8')).not.toMatch(/\b(?:left|right)\b/)
  },
)
