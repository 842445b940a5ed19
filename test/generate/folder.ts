/** Applications in temporary folders, and the command line for them. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Database } from '../../src/runtime/db.ts'
import {
  generateApplication,
  openProject,
  findGenerator,
  readDatabaseSchema,
  removeFiles,
  writeFiles,
} from '../../src/tools/generate.ts'
import type { WriteOptions } from '../../src/tools/generate.ts'
import { fwCommand, visibleEnvironment } from '../support/environment.ts'

const repository = resolve(import.meta.dirname, '../..')
export const emptyFolder = (): string => mkdtempSync(join(tmpdir(), 'fw-generate-'))
/** Deletes the folder, again if a process that was killed meanwhile has a child that still writes there. */
export const removeFolder = (root: string): Promise<void> =>
  rm(root, { recursive: true, force: true, maxRetries: 10 })

/** Creates an application. */
export function newFolder(
  options: { readonly api?: boolean; readonly language?: string } = {},
): string {
  const root = emptyFolder()
  writeFiles(root, generateApplication({ name: 'my-app', fwjs: '0.1.0', ...options }))
  return root
}

/** Parses the words and options of a command. */
function readLine(line: string) {
  const parent = / --parent (\S+)/.exec(line)
  const scope = / --scope (\S+)/.exec(line)
  const distributed = / --distributed-by (\S+)/.exec(line)
  const behind = / --behind (\S+)/.exec(line)
  const through = line.endsWith(' --through')
  const plain = line
    .replace(parent?.[0] ?? '', '')
    .replace(scope?.[0] ?? '', '')
    .replace(distributed?.[0] ?? '', '')
    .replace(behind?.[0] ?? '', '')
    .replace(/ --through$/, '')
    .replace(/ --no-[\w-]+/g, '')
  const [type = '', ...words] = plain.split(' ')
  const options = {
    through,
    ...(line.includes(' --no-totp') && { totp: false }),
    ...(line.includes(' --no-passkeys') && { passkeys: false }),
    ...(line.includes(' --no-api-tokens') && { apiTokens: false }),
    ...(parent && { parent: parent[1]! }),
    ...(scope && { scope: scope[1]! }),
    ...(distributed && { distributedBy: distributed[1]! }),
    ...(behind && { behind: behind[1]! }),
  }
  return { type, words, options }
}

/** The plan of `fw g …`. */
export function planned(root: string, line: string) {
  const { type, words, options } = readLine(line)
  return findGenerator(type).plan(openProject(root), words, options)
}

/** Runs `fw g …` in this process. */
export function generate(root: string, line: string, options?: WriteOptions) {
  return writeFiles(root, planned(root, line).files, options)
}

/** Runs `fw g reverse-scaffold-all` in this process, and returns its plan. */
export async function generateFromDatabase(root: string, database: Database) {
  const project = openProject(root, await readDatabaseSchema(database))
  const plan = findGenerator('reverse-scaffold-all').plan(project, [])
  writeFiles(root, plan.files)
  return plan
}

/** Runs `fw destroy …` in this process. */
export function destroy(root: string, line: string, options?: WriteOptions) {
  const { type, words, options: given } = readLine(line)
  const { files } = findGenerator(type).removal(openProject(root), words, given)
  return removeFiles(root, files, options)
}

/** The texts of all files by path. */
export function contents(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/node_modules|[/\\]\.fw[/\\]/.test(file))
  return Object.fromEntries(
    files.sort().map((file) => [file.slice(root.length + 1), readFileSync(file, 'utf8')]),
  )
}

/** Replaces a text that the file must contain. */
export function change(root: string, path: string, from: string, to: string): void {
  const text = readFileSync(join(root, path), 'utf8')
  if (!text.includes(from)) throw new Error(`${path} does not hold ${JSON.stringify(from)}`)
  writeFileSync(
    join(root, path),
    text.replace(from, () => to),
  )
}

/** Links the dependencies of this repository, so that the application uses the Fw of this repository. */
export function linkSources(root: string): void {
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
}

export { visibleEnvironment }

interface Target {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** Runs `fw` in a process. */
export function fw(
  target: string | Target,
  ...args: string[]
): Promise<{ code: number | null; said: string }> {
  const { cwd, env: given } = typeof target === 'string' ? { cwd: target, env: {} } : target
  // Disables the browser tests, which the project `browser` runs.
  const env = { ...visibleEnvironment(), CHROMIUM: '', ...given }
  const child = spawn(process.execPath, [...fwCommand, ...args], { cwd, env })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  return new Promise((done, failed) => {
    child.once('error', failed)
    child.once('close', (code) => done({ code, said }))
  })
}
