/** Keys of messages and settings as the compiler sees them, through `fw check` of a copy of the example. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateSources } from '../../src/templates/compile.ts'
import { copyExample, ExampleProcess, removeExample, type Change } from '../support/example.ts'

const controller = 'src/main/controller/members-controller.ts'
const messages = 'src/main/resources/messages.yml'
const application = 'src/main/resources/application.yml'

const broken: readonly Change[] = [
  [controller, 'import { Member }', "import { FwConfig } from 'fwjs'\nimport { Member }"],
  [
    controller,
    '  newInput() {',
    `  keys() {
    this.i18n.getOrKey('made.' + 'up')
    FwConfig.stringConfigValue('mail.from')
    FwConfig.sizeConfigValue('limits.body')
    this.i18n.get('member.flash.craeted')
    this.i18n.get('greeting')
    FwConfig.stringConfigValue('mail.form')
  }

  newInput() {`,
  ],
  [
    'src/main/webapp/WEB-INF/views/members/show.html.ssp',
    "s.i18n.get('birthday')",
    "s.i18n.get('birthdya')",
  ],
  [messages, 'name: Name', 'name: Name\ngreeting: Hello {0}\nfar: "{0, plurl}"'],
  [application, 'production:', 'mail: { from: a@b.c }\nproduction:'],
]

let root: string
let said: string
let code: number | null
beforeAll(async () => {
  root = copyExample(...broken)
  const check = new ExampleProcess(['check', '--app', root])
  code = (await check.ended).code
  said = check.output
})
afterAll(() => removeExample(root))

test('keys that no file has do not compile', () => {
  const text = readFileSync(join(root, controller), 'utf8').split('\n')
  const at = (part: string) => `${controller}:${text.findIndex((line) => line.includes(part)) + 1}:`
  const lines = said.split('\n').filter((line) => /^\w\S*:\d+:\d+ /.test(line))
  expect(lines.map((line) => line.replace(/^(\S+:\d+:)\d+ .*\((\S+)\)$/, '$1 $2'))).toEqual([
    `${messages}:3: config.invalid`,
    expect.stringMatching(
      /^src\/main\/webapp\/WEB-INF\/views\/members\/show\.html\.ssp:\d+: TS2769$/,
    ),
    `${at('craeted')} TS2769`,
    `${at("'greeting'")} TS2345`,
    `${at('mail.form')} TS2345`,
    // Hints: nothing uses a new message, and German has none of the new ones.
    `${messages}:1: i18n.unused`,
    `${messages.replace('.yml', '_de.yml')}:1: i18n.missing`,
  ])
  expect(said).toContain("There is no message 'member.flash.craeted': did you mean")
  expect(said).toContain(
    `'"greeting"' is not assignable to parameter of type 'KeyWithoutArguments'`,
  )
  expect(said).toMatch(/messages\.yml:3:\d+ .*\n +3 \| .+\n +\| +\^\n/)
  expect(said).toMatch(/^\d+ templates, 5 mistakes, 2 hints$/m)
  expect(code).toBe(1)
})

test('files that would stay the same are not written', () => {
  const keys = join(root, '.fw/messages.ts')
  const before = statSync(keys, { bigint: true }).mtimeNs
  generateSources(root)
  expect(statSync(keys, { bigint: true }).mtimeNs).toBe(before)
  writeFileSync(join(root, messages), `${readFileSync(join(root, messages), 'utf8')}late: Late\n`)
  generateSources(root)
  expect(readFileSync(keys, 'utf8')).toContain('"late": []')
})
