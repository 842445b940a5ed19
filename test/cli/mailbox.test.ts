/** Mail under `fw run`: a request enqueues it, a job of the same process sends it, and the mailbox shows it. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { jobMigrationText } from '../../src/runtime/jobs.ts'
import { emptyFolder, linkSources, removeFolder } from '../generate/folder.ts'
import { runApplication } from '../support/running-application.ts'

const files: Readonly<Record<string, string>> = {
  'package.json': '{"type":"module"}',
  'src/main/bootstrap.ts': `
import { FwController, FwLifeCycle, mix, routes, transaction } from 'fwjs'
import { WelcomeMail } from './mail/welcome-mail.ts'
class WelcomeController extends mix(FwController, transaction()) {
  async send() {
    await WelcomeMail.send({ to: 'ann@example.com', name: this.params.get('name') ?? '' })
    return 'sent'
  }
}
const welcome = routes(WelcomeController, (r) => ({ send: r.get('/send', 'send') }))
export class Bootstrap extends FwLifeCycle {
  initFwApp(ctx) {
    welcome.mount(ctx)
  }
}
`,
  'src/main/mail/welcome-mail.ts': `
import { ParamType } from 'fwjs'
import { mailer } from 'fwjs/mail'
export const WelcomeMail = mailer('welcome', { to: ParamType.Email, name: ParamType.String }, ({ to, name }) => ({
  to,
  subject: \`Welcome, \${name}\`,
  values: { name },
}))
`,
  'src/main/webapp/WEB-INF/mail/welcome.html.ssp':
    '<%@val name: string %>\n<style>h1 { color: red }</style><h1>Hello ${name}</h1>',
  // The mail server of another environment is never used.
  'src/main/resources/application.yml':
    'db: { default: { folder: memory } }\nmail: { url: "smtp://127.0.0.1:1" }\n',
  'db/migration/V1__create_fw_jobs.sql': jobMigrationText(),
}

test('a mail is kept in the mailbox instead of leaving the machine', async () => {
  const root = emptyFolder()
  onTestFinished(() => removeFolder(root))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  linkSources(root)
  const { url } = await runApplication(root, '--no-check')
  const get = async (path: string) => (await fetch(url + path)).text()
  expect(await get(`/send?name=${encodeURIComponent('Ann <b>')}`)).toMatch(/^sent/)
  await expect
    .poll(() => get('/_fw/mail'), { timeout: 30_000 })
    .toContain('>Welcome, Ann &lt;b&gt;</a>')
  const key = /href="\/_fw\/mail\/([^"]+)"/.exec(await get('/_fw/mail'))![1]!
  const body = await get(`/_fw/mail/${key}/html`)
  expect(body).toContain('<h1 style="color: red;">Hello Ann &lt;b&gt;</h1>')
}, 90_000)
