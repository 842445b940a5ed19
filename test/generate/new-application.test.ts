/** Creates, generates, checks and tests a whole application with the command line. */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fieldTypes } from '../../src/tools/generate/field-type.ts'
import { change, emptyFolder, fw, generate, linkSources, removeFolder } from './folder.ts'

const folder = emptyFolder()
const root = join(folder, 'my-app')
const slow = 120_000

const write = (path: string, text: string) => writeFileSync(join(root, path), text)

async function ok(...args: string[]): Promise<string> {
  const { code, said } = await fw(root, ...args)
  expect(`${code}`, `fw ${args.join(' ')}\n${said}`).toBe('0')
  return said
}

beforeAll(async () => {
  const { code, said } = await fw(folder, 'new', 'my-app', '--fwjs', '0.1.0')
  if (code !== 0 || !said.includes('cd my-app')) throw new Error(said)
  linkSources(root)
}, slow)
afterAll(() => removeFolder(folder))

const pageOf = (name: string) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8')
const blocksOf = (name: string, language: string) =>
  [...pageOf(name).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    (found) => found[1]!,
  )

const ownTest = (name: string) =>
  readFileSync(join(import.meta.dirname, `${name}.test.ts.tpl`), 'utf8')

const every = [...fieldTypes.keys()].flatMap((type) => [
  `plain${type}:${type}`,
  `wrapped${type}:Option[${type}]`,
  `asked${type}:${type}?`,
])

describe('the pages of the documentation', () => {
  it(
    'contain commands that work and code that compiles',
    async () => {
      const commands = blocksOf('getting-started.md', 'sh')
        .flatMap((block) => block.split('\n'))
        .filter((line) => /^\.\/fw (?!new |run$)/.test(line))
      expect(commands.length).toBeGreaterThan(5)
      for (const [at, code] of blocksOf('resources.md', 'ts').entries())
        write(`src/main/controller/documented-${at}.ts`, code)
      for (const page of ['testing.md', 'development.md'])
        for (const [at, code] of blocksOf(page, 'ts').entries())
          write(`src/test/documented-${page}-${at}.test.ts`, code)
      // Part of `fw check` and `fw test` once.
      write('src/test/default-routes.test.ts', ownTest('default-routes'))
      for (const command of commands.filter((line) => line.startsWith('./fw g')))
        await ok(...command.split(' ').slice(1))
      for (const command of commands.filter((line) => !line.startsWith('./fw g')))
        await ok(...command.split(' ').slice(1))
      rmSync(join(root, 'src/test/default-routes.test.ts'))
    },
    slow,
  )
})

describe('fw new and fw g', () => {
  it(
    'give an application that passes `fw check`, with every generator, type, namespace and relation',
    async () => {
      const lines = [
        'scaffold staff employee name:String company:references boss:references? company2Id:Long?',
        `scaffold every_things every_thing ${every.join(' ')} body:String:text`,
        'scaffold admin.members member nick:String:varchar(64) company:references? on:Boolean',
        'scaffold shop order_lines orderLine count:Int?',
        'api-resource tasks task text:String done:Boolean due:DateTime raw:ByteArray',
        'resource notes note text:String',
        'scaffold badges badge code:String company:references --parent admin.members',
        'scaffold steps step count:Int task:references? --parent tasks',
        'api-resource visits visit at:DateTime --parent admin.members',
        'scaffold posts post title:String:unique status:enum:draft,published kind:enum?:a,b price:decimal:10,2 ' +
          'tags:string[] mail:email:unique token:uuid data:json more:json? sku:Int:index:unique ' +
          'cover:attachment scan:attachment? site:url:unique author:references:boss reply:references?:post adminMember:references?:admin.member',
        'scaffold comments comment text:text post:references post2:references?:post',
        'model tag',
        'controller reports',
        'controller admin.stats',
        'filter audit',
        'view admin.stats.more',
        'migration add_nick_to_bosses nick:String?:unique',
        'migration add_phone alter table members add phone varchar(40)',
      ]
      generate(root, 'model boss name:String')
      for (const line of lines) generate(root, line)
      expect(await ok('check')).toMatch(/ 0 mistakes/)
      expect(await ok('routes')).toMatch(
        /DELETE +\/admin\/members\/:id [^]*PUT +\/admin\/members\/:memberId\/badges\/:id /,
      )
    },
    slow,
  )

  it('give formatted files', () => {
    const oxfmt = join(import.meta.dirname, '../../node_modules/.bin/oxfmt')
    const rules = join(import.meta.dirname, '../../.oxfmtrc.json')
    const tests = ['browser', 'controller', 'factory', 'form', 'integration']
    const folders = ['src/main', ...tests.map((name) => `src/test/${name}`)]
    const args = ['-c', rules, '--check', ...folders]
    const { stdout } = spawnSync(oxfmt, args, { cwd: root, encoding: 'utf8' })
    expect(stdout).toContain('All matched files use the correct format.')
  })

  it(
    'give tests that pass',
    async () => {
      const said = await ok('test')
      expect(said).toMatch(/pass [1-9]\d{2}|pass [5-9]\d/)
      expect(said).toMatch(/fail 0/)
    },
    slow,
  )

  it(
    'let `fw check` find a missing declaration in a view, and a renamed column',
    async () => {
      const views = 'src/main/webapp/WEB-INF/views/members'
      const shown = readFileSync(join(root, `${views}/show.html.ssp`), 'utf8')
      change(root, `${views}/show.html.ssp`, /^<%@val item: .*\n/m.exec(shown)![0], '')
      change(root, 'src/main/model/member.ts', 'birthday:', 'bornOn:')
      const { code, said } = await fw(root, 'check')
      expect(code).toBe(1)
      const lineOf = (path: string, text: string) =>
        readFileSync(join(root, path), 'utf8')
          .split('\n')
          .findIndex((line) => line.includes(text)) + 1
      const show = lineOf(`${views}/show.html.ssp`, 'item.name')
      const index = lineOf(`${views}/index.html.ssp`, 'item.birthday')
      expect(said).toMatch(
        new RegExp(`members/show\\.html\\.ssp:${show}:\\d+ Cannot find name 'item'`),
      )
      expect(said).toMatch(
        new RegExp(`members/index\\.html\\.ssp:${index}:\\d+ Property 'birthday' does not exist`),
      )
      expect(said).toMatch(/src\/test\/factory\/member\.ts:\d+/)
      // Correct files have no errors.
      const errors = said.split('\n').filter((line) => /:\d+:\d+ /.test(line))
      const places = new Set(errors.map((line) => line.slice(0, line.indexOf(':'))))
      expect([...places].sort()).toEqual([
        'src/main/webapp/WEB-INF/views/members/index.html.ssp',
        'src/main/webapp/WEB-INF/views/members/show.html.ssp',
        'src/test/factory/member.ts',
      ])
    },
    slow,
  )
})
