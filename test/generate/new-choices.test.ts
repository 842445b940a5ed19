/** The choices of `fw new`: API, database, language, git, the dialogue, and an old Node. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfiguration } from '../../src/runtime/config.ts'
import { MessageCatalog } from '../../src/runtime/i18n.ts'
import { askChoices } from '../../src/tools/cli/new-application.ts'
import { LauncherBench } from '../support/launcher-bench.ts'
import { emptyFolder, fw, generate, linkSources, removeFolder } from './folder.ts'

const slow = 120_000
let folder: string
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => removeFolder(folder))

async function create(...options: string[]): Promise<{ root: string; said: string }> {
  const { code, said } = await fw(folder, 'new', 'my-app', '--fwjs', '0.1.0', ...options)
  expect(`${code}`, `fw new ${options.join(' ')}\n${said}`).toBe('0')
  return { root: join(folder, 'my-app'), said }
}

describe('fw new', () => {
  test('prints what to do next', async () => {
    const { said } = await create()
    expect(said).toContain('Next:\n  cd my-app\n')
    expect(said).toMatch(/\.\/fw run +serves http:\/\/127\.0\.0\.1:8080/)
  })

  test.each([
    ['my-shop', 'my-shop', 'My shop', 'my-shop'],
    [
      "Ann's Bücher {größe}",
      'ann-s-bucher-grosse',
      'Ann s Bücher größe',
      "'Ann'\\''s Bücher {größe}'",
    ],
    ['本棚 2', '2', '本棚 2', "'本棚 2'"],
  ])('a folder %j: its package is %s, its title %s', async (name, packageName, title, shown) => {
    const { said } = await fw(folder, 'new', name, '--fwjs', '0.1.0')
    expect(said).toContain(`Next:\n  cd ${shown}\n`)
    const root = join(folder, name)
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as object
    expect(manifest).toMatchObject({ name: packageName })
    const catalog = MessageCatalog.load(join(root, 'src/main/resources'))
    expect(catalog.translations('en').find('site.title')?.text).toBe(title)
    const enter = spawnSync('sh', ['-c', `cd ${shown}`], { cwd: folder })
    expect(enter.status).toBe(0)
  })

  test(
    '--api writes an application without pages that passes its check and its tests',
    async () => {
      const { root, said } = await create('--api')
      expect(said).toContain('./fw g api-resource')
      expect(said).toContain('docs/apis.md')
      expect(existsSync(join(root, 'src/main/webapp'))).toBe(false)
      expect(readFileSync(join(root, 'AGENTS.md'), 'utf8')).not.toMatch(/WEB-INF|csrf|scaffold/)
      linkSources(root)
      await fw(root, 'g', 'api-resource', 'tasks', 'task', 'text:string')
      const checked = await fw(root, 'check')
      expect(checked.said).toMatch(/ 0 mistakes/)
      const tested = await fw(root, 'test')
      expect(tested.said).toMatch(/fail 0/)
    },
    slow,
  )

  test(
    '--language writes texts, labels and error pages in that language',
    async () => {
      const { root } = await create('--language', 'de')
      linkSources(root)
      generate(root, 'scaffold rechnungen rechnung titel:String status:enum:offen,bezahlt')
      generate(root, 'authentication')
      expect(loadConfiguration({ root, env: 'test' }).string('i18n.defaultLocale')).toBe('de')
      const tested = await fw(root, 'test')
      expect(tested.said).toMatch(/fail 0/)
      const texts = readFileSync(join(root, 'src/main/resources/messages.yml'), 'utf8')
      expect(texts).toContain('Nicht gefunden')
    },
    slow,
  )

  test('--database writes its address to a private .env, which the settings read', async () => {
    const url = 'postgres://shop:secret@db.example:5432/shop'
    const { root } = await create('--database', url)
    expect(statSync(join(root, '.env')).mode & 0o777).toBe(0o600)
    const configuration = loadConfiguration({ root, env: 'development', environment: {} })
    expect(configuration.string('db.default.url')).toBe(url)
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toMatch(/^\.env$/m)
  })

  test('--git creates a repository', async () => {
    const { root, said } = await create('--git')
    expect(existsSync(join(root, '.git'))).toBe(true)
    expect(said).toContain('Created a git repository.')
  })

  test.each([
    [['--database', 'mysql://x'], 'write postgres://user:password@host:5432/name'],
    [['--language', 'xx'], 'the languages en, ar, de, es, fr, it, ja, nl, pt'],
  ])('%j is refused with the remedy, and nothing is written', async (options, text) => {
    const { code, said } = await fw(folder, 'new', 'my-app', ...options)
    expect(code).toBe(1)
    expect(said).toContain(text)
    expect(existsSync(join(folder, 'my-app'))).toBe(false)
  })
})

describe('the dialogue', () => {
  async function ask(answers: string, given = {}) {
    const output = new PassThrough()
    const input = new PassThrough()
    input.end(answers)
    const choices = await askChoices(given, { input, output })
    output.end()
    const shown = (await output.toArray()).join('')
    return { choices, shown }
  }

  test('takes defaults for empty answers, and for an input that ends', async () => {
    expect((await ask('\n\n\n\n')).choices).toEqual({ api: false, git: true })
    expect((await ask('')).choices).toEqual({ api: false, git: true })
  })

  test('asks again after an answer that it cannot use', async () => {
    const { choices, shown } = await ask('maybe\ny\nhost\npostgres://db/x\nxx\nfr\nno\n')
    expect(choices).toEqual({ api: true, database: 'postgres://db/x', git: false, language: 'fr' })
    expect(shown).toContain("'maybe' is no answer to that.")
  })

  test('does not ask for what the command line says', async () => {
    const given = { api: false, git: false, database: 'postgres://db/x', language: 'de' }
    const { choices, shown } = await ask('', given)
    expect(choices).toEqual(given)
    expect(shown).toBe('')
  })
})

describe('create-fwjs', () => {
  test('runs on an old Node: it hands over to one that the launcher finds or downloads', () => {
    using bench = new LauncherBench()
    const fwjs = join(bench.folder, 'node_modules/fwjs')
    const creator = join(bench.folder, 'create-fwjs')
    mkdirSync(fwjs, { recursive: true })
    cpSync('create-fwjs', creator, { recursive: true })
    cpSync('fw', join(fwjs, 'fw'))
    cpSync('package.json', join(fwjs, 'package.json'))
    bench.node('24.21.0')
    const old =
      'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.20.2"}})'
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', old, join(creator, 'create-fwjs.js'), 'shop', '--api'],
      {
        cwd: bench.folder,
        encoding: 'utf8',
        env: { PATH: bench.bin, HOME: bench.folder },
      },
    )
    expect({ stdout, stderr }).toEqual({
      stdout: `node 24.21.0: ${join(fwjs, 'dist/tools/cli/main.js')} new shop --api\n`,
      stderr: '',
    })
  })
})
