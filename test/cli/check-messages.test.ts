/** `fw check` and `fw doctor` count the messages that are missing, not translated, or unused. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { reportMessages } from '../../src/tools/cli/check-messages.ts'
import { checkMessages } from '../../src/tools/cli/doctor-checks.ts'
import { UsedMessages } from '../../src/tools/cli/used-messages.ts'
import {
  change,
  destroy,
  fw,
  generate,
  linkSources,
  newFolder,
  removeFolder,
} from '../generate/folder.ts'

const messages = 'src/main/resources/messages.yml'
const french = 'src/main/resources/messages_fr.yml'
const view = 'src/main/webapp/WEB-INF/views/root/index.html.ssp'

let root: string
beforeEach(() => {
  root = newFolder()
})
afterEach(() => removeFolder(root))

const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const append = (file: string, text: string): void =>
  writeFileSync(join(root, file), read(file) + text)
const reportOf = (file: string) => reportMessages(root).find((report) => report.file === file)!

const generators = [
  'scaffold members member name:String status:enum:open,closed active:Boolean? note:Option[String]:varchar(80)',
  'scaffold badges badge code:String photo:attachment? --parent members',
  'api-resource tasks task text:String',
  'resource notes note text:String',
  'scaffold steps step count:Int --parent tasks',
  'mailer welcome name:String',
  'job invoice orderId:Long',
  'authentication',
]

describe('an application of generators', () => {
  test('uses all of its messages, and lacks none in a language', () => {
    const reports = () => reportMessages(root).map(({ missing, unused }) => ({ missing, unused }))
    const nothing = { missing: [], unused: [] }
    expect(reports()).toEqual([nothing])
    for (const line of generators) generate(root, line)
    generate(root, 'language fr')
    expect(reports()).toEqual([nothing, nothing])
  })

  test('uses all of its messages without pages', async () => {
    const api = newFolder({ api: true })
    onTestFinished(() => removeFolder(api))
    generate(api, 'api-resource tasks task text:String')
    expect(reportMessages(api).flatMap(({ unused }) => unused)).toEqual([])
  })

  test('has the hint of its front page again, in all languages, after the last resource is removed', () => {
    generate(root, 'language fr')
    const before = [read(messages), read(french)]
    generate(root, generators[0]!)
    expect(read(messages)).not.toContain('next: Add a first resource')
    expect(read(french)).not.toContain('/members.')
    destroy(root, generators[0]!)
    expect([read(messages), read(french)]).toEqual(before)
  })
})

describe('the report', () => {
  test('contains missing, untranslated and unused keys of each file', () => {
    generate(root, 'language fr')
    change(root, french, '  noPage: Il n’y a pas de page à cette adresse.\n', '')
    append(messages, 'old:\n  text: Old\n')
    append(french, 'old:\n  text: Old # untranslated\n')
    expect(reportOf(messages)).toMatchObject({
      locale: 'en',
      missing: [],
      untranslated: [],
      unused: ['old.text'],
    })
    expect(reportOf(french)).toMatchObject({
      locale: 'fr',
      missing: ['problem.noPage'],
      untranslated: ['site.title', 'old.text'],
      firstUntranslated: 2,
      unused: ['old.text'],
    })
  })

  test('counts no key as missing that the file of the language has', () => {
    generate(root, 'language fr')
    writeFileSync(join(root, 'src/main/resources/messages_fr_CA.yml'), 'root:\n  heading: Salut\n')
    expect(reportOf('src/main/resources/messages_fr_CA.yml').missing).toEqual([])
  })
})

describe('a key is used', () => {
  const keys = (...unused: string[]) => {
    const used = new UsedMessages(root)
    return unused.filter((key) => !used.has(key))
  }

  test.each([
    ['as a text', "<p>${s.i18n.get('a.b')}</p>"],
    ['with a computed end', '<p>${s.i18n.getOrKey(`a.${x}`)}</p>'],
    ['with a computed end, joined', "<p>${s.i18n.getOrKey('a.' + x)}</p>"],
    ['with a computed beginning', '<p>${s.i18n.getOrKey(`${x}.b`)}</p>'],
    ['with a computed middle', '<p>${s.i18n.getOrKey(`a.${x}.b`)}</p>'],
    ['as one of two texts', "<p>${s.i18n.get(x ? 'a.b' : 'c.d')}</p>"],
    ['as the value of a variable', "<% const key = 'a.b' %>${s.i18n.get(key)}"],
    ['as the label of a field', "<% const rules = check('a', { b: 1 }) %>"],
  ])('%s', (_name, code) => {
    append(view, code)
    expect(keys('a.b')).toEqual([])
    expect(keys('e.f')).toEqual(['e.f'])
  })

  test('as a label, a flash message or the label of an enum of a resource', () => {
    append(view, "<% const options = { resourceName: 'book', status: 1 } %>")
    expect(
      keys('book.status', 'book.flash.created', 'book.enum.status.sold', 'book.view.list'),
    ).toEqual([])
    expect(
      keys('book.size', 'film.flash.created', 'book.flash.sold', 'book.enum.size.big'),
    ).toEqual(['book.size', 'film.flash.created', 'book.flash.sold', 'book.enum.size.big'])
  })

  test('as a label without a section, if its name is in the code', () => {
    append(view, "<% const rule = paramKey('birthday') %>")
    expect(keys('birthday', 'deathday')).toEqual(['deathday'])
  })

  test('by Fw: the messages of rules, and those of a repeated form', () => {
    expect(keys('error.required', 'error.mine', 'repeat.send')).toEqual([])
  })

  test('perhaps, if code computes the whole key: then no key counts as unused', () => {
    append(messages, 'old:\n  text: Old\n')
    expect(reportOf(messages).unused).toEqual(['old.text'])
    append(view, '<p>${s.i18n.getOrKey(row.key)}</p>')
    expect(reportOf(messages).unused).toEqual([])
  })
})

describe('the commands', () => {
  beforeEach(() => {
    generate(root, 'language fr')
    append(messages, 'old:\n  text: Old\n')
    linkSources(root)
  })

  test('fw check prints hints, which are no mistakes', async () => {
    const { code, said } = await fw(root, 'check')
    expect(said).toContain(
      `${french}:1:1 hint: 1 message missing in fr, which fw g language adds: old.text (i18n.missing)\n`,
    )
    expect(said).toContain(
      `${french}:2:1 hint: 1 message not translated: site.title (i18n.untranslated)\n`,
    )
    expect(said).toContain(`${messages}:1:1 hint: 1 message unused: old.text (i18n.unused)\n`)
    expect(said).toContain(' templates, 0 mistakes, 3 hints\n')
    expect(code).toBe(0)
  })

  test('fw check --json marks them as hints', async () => {
    const { said } = await fw(root, 'check', '--json')
    const found = JSON.parse(said) as { code: string; severity: string }[]
    expect(found.map(({ code, severity }) => [code, severity])).toEqual([
      ['i18n.unused', 'hint'],
      ['i18n.missing', 'hint'],
      ['i18n.untranslated', 'hint'],
    ])
  })

  test('fw doctor warns about languages that are incomplete', () => {
    expect(checkMessages(root)).toEqual([
      { state: 'ok', text: 'the messages in en: 1 unused' },
      {
        state: 'warning',
        text: 'the messages in fr: 1 missing, 1 untranslated',
        mend: `Translate them in ${french}; fw check lists them.`,
      },
    ])
  })

  test('fw doctor leaves files that cannot be read to the check of the configuration', () => {
    append(french, 'a: [\n')
    expect(checkMessages(root)).toEqual([])
  })
})
