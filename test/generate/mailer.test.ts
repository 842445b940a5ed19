/** `fw g mailer`: the files that it writes and removes, and the check and the tests of the generated code. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  contents,
  destroy,
  fw,
  generate,
  linkSources,
  newFolder,
  planned,
  removeFolder,
} from './folder.ts'

const welcome = 'mailer welcome user:references link:url note:String? day:LocalDate count:Int'
const short = 'mailer short user:references'
const report =
  'mailer admin.monthly_report recipient:Email first_long_name:String second_long_name:String? third_long_name:Boolean'

let root: string
beforeEach(() => {
  root = newFolder()
})
afterEach(() => removeFolder(root))

it('writes the mailer, both templates and layouts, preview, test, tables and packages; a second time changes nothing', () => {
  generate(root, 'model user name:String email:Email')
  const outcomes = generate(root, welcome).map(({ path, done }) => `${done} ${path}`)
  expect(outcomes.map((line) => line.replace(/V\d+__/, ''))).toEqual([
    'created src/main/mail/welcome-mail.ts',
    'created src/main/webapp/WEB-INF/mail/welcome.html.ssp',
    'created src/main/webapp/WEB-INF/mail/welcome.txt.ssp',
    'created src/test/mail/welcome-preview.ts',
    'created src/test/mail/welcome-mail.test.ts',
    'created src/main/webapp/WEB-INF/mail/layouts/default.html.ssp',
    'created src/main/webapp/WEB-INF/mail/layouts/default.txt.ssp',
    'created db/migration/create_fw_jobs.sql',
    'modified package.json',
  ])
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  const own = JSON.parse(
    readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8'),
  ) as {
    readonly devDependencies: Readonly<Record<string, string>>
  }
  for (const name of ['nodemailer', '@css-inline/css-inline-wasm'])
    expect(dependencies[name]).toBe(own.devDependencies[name])
  const plan = planned(root, welcome)
  expect(plan.notes).toEqual([])
  expect([...new Set(generate(root, welcome).map(({ done }) => done))]).toEqual(['unchanged'])
})

it('removes its files without the fields; layouts and tables stay, and packages that another mailer needs', () => {
  generate(root, 'model user name:String email:Email')
  const before = contents(root)
  generate(root, report)
  generate(root, welcome)
  const removed = destroy(root, 'mailer welcome')
  expect(removed.map(({ done }) => done)).toEqual(Array.from({ length: 5 }, () => 'removed'))
  destroy(root, 'mailer admin.monthly_report')
  const after = contents(root)
  expect(after['package.json']).toBe(before['package.json'])
  const left = Object.keys(after).filter((path) => !Object.hasOwn(before, path))
  expect(left.map((path) => path.replace(/V\d+__/, ''))).toEqual([
    'db/migration/create_fw_jobs.sql',
    'src/main/webapp/WEB-INF/mail/layouts/default.html.ssp',
    'src/main/webapp/WEB-INF/mail/layouts/default.txt.ssp',
  ])
})

it('refuses values that a template cannot print, and models that do not exist', () => {
  expect(() => planned(root, 'mailer welcome data:Json')).toThrow('a mailer has no Json')
  expect(() => planned(root, 'mailer welcome user:references')).toThrow('There is no model')
  expect(() => planned(root, 'mailer')).toThrow('Write it as: fw g mailer')
})

it(
  'generates formatted code that passes its check and its tests',
  { timeout: 120_000 },
  async () => {
    generate(root, 'model user name:String email:Email')
    for (const line of [welcome, report, short, 'mailer plain']) generate(root, line)
    linkSources(root)
    const oxfmt = resolve(import.meta.dirname, '../../node_modules/.bin/oxfmt')
    const rules = resolve(import.meta.dirname, '../../.oxfmtrc.json')
    const args = ['-c', rules, '--check', 'src/main/mail', 'src/test/mail']
    const { stdout } = spawnSync(oxfmt, args, {
      cwd: root,
      encoding: 'utf8',
    })
    expect(stdout).toContain('All matched files use the correct format.')
    expect(await fw(root, 'check')).toMatchObject({ code: 0 })
    const tests = ['welcome', 'admin/monthly-report', 'short', 'plain'].map(
      (name) => `src/test/mail/${name}-mail.test.ts`,
    )
    const tested = await fw(root, 'test', ...tests)
    expect(tested.said).toContain('pass 4')
    expect(tested.code).toBe(0)
  },
)
