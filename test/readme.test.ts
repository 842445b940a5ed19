/** README's application compiles and runs; the links between all pages, and the files that they name, exist. */
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ExampleProcess, listening } from './support/example.ts'
import { layers } from './support/layers.ts'

const repository = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'fw-readme-'))
const file = join(folder, 'app.ts')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const read = (page: string) => readFileSync(join(repository, page), 'utf8')
const blocks = (page: string) =>
  [...read(page).matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((found) => found[1]!)

describe('README’s application', () => {
  const [code = ''] = blocks('README.md')

  beforeAll(() => {
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const tsconfig = {
      extends: join(repository, 'test/support/tsconfig.app.json'),
      files: ['app.ts'],
      include: [],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
    writeFileSync(
      file,
      code.replace('8080', '0').replace('console.log(', "console.log('listening on', "),
    )
  })

  test('is short and the only code of the page', () => {
    expect(blocks('README.md')).toHaveLength(1)
    expect(code.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(36)
    expect(Math.max(...code.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120)
  })

  test('compiles', () => {
    const tsc = join(repository, 'node_modules/.bin/tsc')
    const { stdout } = spawnSync(tsc, ['-p', folder], { encoding: 'utf8' })
    expect(stdout).toBe('')
  })

  test('runs', async () => {
    const { process: server, url } = await listening(new ExampleProcess([], { script: file }))
    const post = (text: string) =>
      fetch(`${url}/greetings`, {
        method: 'POST',
        body: new URLSearchParams({ text }),
        redirect: 'manual',
      })
    try {
      const list = [{ text: 'Hello, World!', url: '/greetings/0' }]
      expect(await (await fetch(`${url}/greetings`)).json()).toEqual(list)
      const saved = await post('<b>Bye</b>')
      expect([saved.status, saved.headers.get('location')]).toEqual([303, '/greetings/1'])
      expect(await (await fetch(`${url}/greetings/1`)).json()).toEqual({ text: '<b>Bye</b>' })
      for (const id of ['2', '-1', 'x', 'length', '99999999999999999999'])
        expect([id, (await fetch(`${url}/greetings/${id}`)).status]).toEqual([id, 404])
      const refused = await post('x'.repeat(81))
      expect([refused.status, await refused.json()]).toEqual([
        400,
        { text: ['text length must be less than or equal to 80'] },
      ])
      expect((await post('')).status).toBe(400)
    } finally {
      await server.end('SIGKILL')
    }
  })
})

/** Converts a heading to its anchor. */
const toAnchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

const pages = globSync('**/*.md', {
  cwd: repository,
  exclude: (path) => /(^|\/)(node_modules|build|dist|\..+)$/.test(path),
})

const decisions = pages.filter((page) => page.startsWith('decisions'))

describe('every link of a page is valid', () => {
  const anchors = (page: string) =>
    new Set([...read(page).matchAll(/^#+ (.*)$/gm)].map((found) => toAnchor(found[1]!)))

  test.each(pages)('%s', (page) => {
    const text = read(page).replaceAll(/^```[\s\S]*?^```$/gm, '')
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((found) => found[1]!)
    const dead = targets.filter((target) => {
      if (/^(https|mailto):/.test(target)) return false
      const [path = '', hash] = target.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      if (!existsSync(join(repository, file))) return true
      return hash !== undefined && !anchors(file).has(hash)
    })
    expect(dead).toEqual([])
  })
})

describe('every file that a page names exists', () => {
  const modules = layers.join('|')

  test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', ...decisions])('%s', (page) => {
    const text = read(page)
    const paths = text.match(/\b(?:src|test|bench|scripts)\/[\w./-]*\.\w+\b/g) ?? []
    // `module/file` is the file src/<group>/module/file.ts.
    const files =
      text.match(new RegExp(`(?<![\\w/.-])(?:${modules})/[a-z-]+(?![\\w/.-])`, 'g')) ?? []
    const missing = [
      ...paths.filter((path) => !existsSync(join(repository, path))),
      ...files.filter((file) => globSync(`src/*/${file}.ts`, { cwd: repository }).length === 0),
    ]
    expect(missing).toEqual([])
  })
})
