/** ProjectCheck: after each change, the mistakes are those of a whole check, and only affected files are checked. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyExample, removeApplication, webInf } from '../../../test/lsp/editor.ts'
import { checkProject, formatDiagnostic, type ViewDiagnostic } from '../../templates/check.ts'
import { generateKeys } from '../../templates/compile.ts'
import { ProjectCheck } from './project-check.ts'

const projectTemplate = resolve('templates/application/tsconfig.json.tpl')
const list = `${webInf}/views/members/_list.html.ssp`
const show = `${webInf}/views/members/show.html.ssp`
const model = 'src/main/model/member.ts'
const messages = 'src/main/resources/messages.yml'

let root: string
let check: ProjectCheck
beforeAll(async () => {
  root = copyExample('members')
  // The types of the built package are checked faster than the sources of Fw.
  writeFileSync(join(root, 'tsconfig.json'), readFileSync(projectTemplate, 'utf8'))
  generateKeys(root)
  check = new ProjectCheck(root)
  await check.check([])
})
afterAll(() => {
  check.close()
  removeApplication(root)
})

const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const sorted = (all: readonly ViewDiagnostic[]): string[] => all.map(formatDiagnostic).sort()

/** Writes files, or removes those without a text; checks them, and compares the result with that of a whole check. */
async function change(files: Readonly<Record<string, string | undefined>>): Promise<string[]> {
  for (const [file, text] of Object.entries(files)) {
    const path = join(root, file)
    mkdirSync(dirname(path), { recursive: true })
    if (text === undefined) rmSync(path)
    else writeFileSync(path, text)
  }
  const result = await check.check(Object.keys(files).map((file) => join(root, file)))
  const whole = await checkProject({ root })
  expect(sorted(result.diagnostics)).toEqual(sorted(whole.diagnostics))
  expect(result.templates).toBe(whole.templates)
  return sorted(result.diagnostics)
}

/** Changes a text in a file, compares, and restores it. Returns the mistakes, and the number of files that were checked. */
async function tryChange(file: string, old: string, text: string) {
  const original = read(file)
  expect(original).toContain(old)
  const mistakes = await change({ [file]: original.replaceAll(old, text) })
  const { checkedFiles } = check
  expect(await change({ [file]: original })).toEqual([])
  return { mistakes, checkedFiles }
}

test('the first check after a whole one reads every file', async () => {
  const { mistakes, checkedFiles } = await tryChange(list, 'member.name', 'member.nam')
  expect(mistakes).toHaveLength(1)
  expect(checkedFiles).toBeGreaterThan(20)
}, 60_000)

test('a mistake in a partial is found in the partial and the pages that include it', async () => {
  const { mistakes, checkedFiles } = await tryChange(list, 'member.name', 'member.nam')
  expect(mistakes[0]).toContain("Property 'nam' does not exist")
  expect(checkedFiles).toBeLessThan(6)
}, 60_000)

test.each<[string, string, string, string, string]>([
  [
    'a value of a partial',
    list,
    '<%@val members',
    '<%@val title: string %><%@val members',
    'title',
  ],
  ['the type of a value', show, 'member: Member', 'member: string', 'show.html.ssp'],
  ['the syntax', list, '#end', '#ende', 'view.syntax'],
  ['the escaping', list, '<caption>', '<script>f(`${members}`)</script><caption>', 'view.syntax'],
  ['the policy', list, '<caption>', '<caption onclick="f()">', 'warning'],
  ['a field of a model', model, 'birthday:', 'bornOn:', "'birthday' does not exist"],
  ['code alone', model, 'import { model,', 'const a: number = ""\nimport { model,', 'TS2322'],
])(
  '%s',
  async (_, file, old, text, expected) => {
    expect((await tryChange(file, old, text)).mistakes.join('\n')).toContain(expected)
  },
  60_000,
)

test('a message, whose key code and templates use', async () => {
  const original = read(messages)
  writeFileSync(join(root, messages), original.replace(/^(\s*)title:/m, '$1titel:'))
  // `fw check` generates the keys first.
  generateKeys(root)
  const { diagnostics } = await check.check([join(root, messages)])
  expect(sorted(diagnostics).join('\n')).toContain("There is no message 'members.title'")
  writeFileSync(join(root, messages), original)
  generateKeys(root)
  expect((await check.check([join(root, messages)])).diagnostics).toEqual([])
}, 60_000)

test('new and removed templates and files of code', async () => {
  const page = read(show)
  expect((await change({ [show]: undefined })).join('\n')).toContain("no view '/members/show'")
  const code = 'src/main/model/team.ts'
  await change({ [show]: page, [code]: 'export const size: number = "many"\n' })
  expect(await change({ [code]: undefined })).toEqual([])
}, 60_000)

test('code that is no part of the project', async () => {
  const code = 'outside/tool.ts'
  expect(await change({ [code]: 'export const size: number = "many"\n' })).toEqual([])
  expect(await change({ [code]: undefined })).toEqual([])
}, 60_000)

test.each([dirname(show), dirname(messages)])(
  'a folder that is moved away: %s',
  async (name) => {
    const folder = join(root, name)
    renameSync(folder, `${root}/moved`)
    const { diagnostics } = await check.check([folder])
    expect(check.checkedFiles).toBeUndefined()
    expect(diagnostics.length).toBeGreaterThan(1)
    renameSync(`${root}/moved`, folder)
    expect((await check.check([folder])).diagnostics).toEqual([])
  },
  60_000,
)

test('a file that an editor creates and removes again, as Vim does', async () => {
  const original = read(list)
  expect(await change({ [list]: original })).toEqual([])
  const probes = ['4913', '_list.html.ssp~'].map((name) => join(root, dirname(list), name))
  expect((await check.check([...probes, join(root, list)])).diagnostics).toEqual([])
  expect(check.checkedFiles).toBeLessThan(6)
}, 60_000)

test('the options of the compiler', async () => {
  const original = read('tsconfig.json')
  const code = 'src/main/model/team.ts'
  await change({ [code]: 'export const same = (one) => one\n' })
  const options = '"compilerOptions": {"noImplicitAny": false,'
  writeFileSync(join(root, 'tsconfig.json'), original.replace('"compilerOptions": {', options))
  expect((await check.check([])).diagnostics).toEqual([])
  writeFileSync(join(root, 'tsconfig.json'), original)
  expect((await check.check([])).diagnostics).toHaveLength(1)
  expect(await change({ [code]: undefined })).toEqual([])
}, 60_000)

test('the changes of a cancelled check are covered by the next one', async () => {
  const original = read(list)
  const controller = new AbortController()
  writeFileSync(join(root, list), original.replace('member.name', 'member.nam'))
  const cancelled = check.check([join(root, list)], controller.signal)
  controller.abort()
  await expect(cancelled).rejects.toThrow()
  expect((await check.check([])).diagnostics).toHaveLength(1)
  expect(await change({ [list]: original })).toEqual([])
}, 60_000)
