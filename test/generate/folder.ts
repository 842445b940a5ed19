/** Applications in temporary folders, and the command line that writes into them. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  applicationDrafts,
  folderSite,
  generatorOf,
  removeDrafts,
  writeDrafts,
} from '../../src/generate.ts'
import type { WriteOptions } from '../../src/generate.ts'
import { sourceFlags, visibleEnvironment } from '../support/environment.ts'

const repository = resolve(import.meta.dirname, '../..')
/** Node's arguments for `fw` from the sources. */
export const command = [
  ...sourceFlags,
  '--disable-warning=ExperimentalWarning',
  join(repository, 'src/cli/main.ts'),
]

export const emptyFolder = (): string => mkdtempSync(join(tmpdir(), 'fw-generate-'))
export const removeFolder = (root: string): void => rmSync(root, { recursive: true, force: true })

/** A new application. */
export function newFolder(): string {
  const root = emptyFolder()
  writeDrafts(root, applicationDrafts({ name: 'my-app', fwjs: '0.1.0' }))
  return root
}

/** The words of a command line, `--parent` taken out. */
function readLine(line: string) {
  const parent = / --parent (\S+)/.exec(line)
  const [type = '', ...words] = line.replace(parent?.[0] ?? '', '').split(' ')
  return { type, words, options: parent === null ? {} : { parent: parent[1]! } }
}

/** What `fw g …` would write. */
export function planned(root: string, line: string) {
  const { type, words, options } = readLine(line)
  return generatorOf(type).plan(folderSite(root), words, options)
}

/** `fw g …` in this process. */
export function generate(root: string, line: string, options?: WriteOptions) {
  return writeDrafts(root, planned(root, line).drafts, options)
}

/** `fw destroy …` in this process. */
export function destroy(root: string, line: string, options?: WriteOptions) {
  const { type, words, options: given } = readLine(line)
  const { drafts } = generatorOf(type).removal(folderSite(root), words, given)
  return removeDrafts(root, drafts, options)
}

/** Every file and its text. */
export function contents(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/node_modules|[/\\]\.fw[/\\]/.test(file))
  return Object.fromEntries(
    files.sort().map((file) => [file.slice(root.length + 1), readFileSync(file, 'utf8')]),
  )
}

/** Replaces text that must be there. */
export function change(root: string, path: string, from: string, to: string): void {
  const text = readFileSync(join(root, path), 'utf8')
  if (!text.includes(from)) throw new Error(`${path} does not hold ${JSON.stringify(from)}`)
  writeFileSync(
    join(root, path),
    text.replace(from, () => to),
  )
}

/** Lets an application run on the sources of this repository, as if they were installed. */
export function linkSources(root: string): void {
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
}

export { visibleEnvironment }

interface Place {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** The command `fw` as a process of its own. */
export function fw(
  place: string | Place,
  ...args: string[]
): Promise<{ code: number | null; said: string }> {
  const { cwd, env: given } = typeof place === 'string' ? { cwd: place, env: {} } : place
  // Without a browser: tests in one are run where browsers are tested.
  const env = { ...visibleEnvironment(), CHROMIUM: '', ...given }
  const child = spawn(process.execPath, [...command, ...args], { cwd, env })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  return new Promise((done, failed) => {
    child.once('error', failed)
    child.once('close', (code) => done({ code, said }))
  })
}
