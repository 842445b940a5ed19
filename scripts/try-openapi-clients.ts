/**
 * Tries generators and consumers of OpenAPI documents: `node --conditions=fwjs-source scripts/try-openapi-clients.ts`. It
 * generates and starts an application with a scaffold and an API, and writes its document. Each client is installed from the npm
 * registry in a fixed version, is generated, compiles, and creates a record. Prints a line for each client, and exits with 1 if
 * one fails. Arguments select clients by name; `--keep` keeps the folders. Needs `npm run build`.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { clients, type Client } from './openapi-clients/clients.ts'
import { createApplication, runApplication, runFw } from './openapi-clients/application.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: 'boolean', default: false } },
})

/** The compiler of the generated clients, which are written for it. */
const compiler = 'typescript@5.9.3'
const nodeTypes = '@types/node@24.10.1'

const repository = resolve(import.meta.dirname, '..')

/** The record that each client creates. */
const fields = { text: 'Sow', done: true, count: 3, state: 'open', tags: ['a', 'b'] }

interface Ended {
  readonly code: number | null
  readonly output: string
}

/** Runs a command. Resolves to its exit code and output. */
function run(cwd: string, command: string, args: readonly string[], url = ''): Promise<Ended> {
  const env = { ...process.env, BASE_URL: url, CI: 'true', NO_COLOR: '1' }
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  return new Promise((done, failed) => {
    child.once('error', failed)
    child.once('close', (code) => done({ code, output }))
  })
}

/** Runs a step. @throws Error with the end of the output if the step fails */
async function step(name: string, ended: Promise<Ended>): Promise<string> {
  const { code, output } = await ended
  if (code === 0) return output
  throw new Error(
    `${name} exits with ${code}: ${output.trim().split('\n').slice(0, 6).join('\n  ')}`,
  )
}

const compilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  resolveJsonModule: true,
  types: ['node'],
}

function writeFile(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** Installs, generates, compiles and runs one client. @returns the id of the record that it has created */
async function tryClient(client: Client, folder: string, url: string): Promise<number> {
  const { packages, files = {}, commands = [], usage } = client
  writeFile(folder, 'package.json', JSON.stringify({ private: true, type: 'module' }))
  const all = [...packages, compiler, nodeTypes]
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', ...all]
  await step('npm install', run(folder, 'npm', install))
  for (const [path, text] of Object.entries(files)) writeFile(folder, path, text)
  for (const command of commands) {
    const [words = '', file] = command.split(' > ')
    const [name = '', ...args] = words.split(' ')
    const output = await step(name, run(folder, join(folder, 'node_modules/.bin', name), args, url))
    if (file !== undefined) writeFile(folder, file, output)
  }
  writeFile(folder, 'usage.ts', usage.replace('FIELDS', JSON.stringify(fields)))
  writeFile(folder, 'tsconfig.json', JSON.stringify({ compilerOptions, files: ['usage.ts'] }))
  await step('tsc', run(folder, join(folder, 'node_modules/.bin/tsc'), []))
  const rolldown = join(repository, 'node_modules/.bin/rolldown')
  const bundle = ['usage.ts', '--platform', 'node', '--format', 'esm', '--file', 'usage.mjs']
  await step('rolldown', run(folder, rolldown, bundle))
  const output = await step('the client', run(folder, process.execPath, ['usage.mjs'], url))
  const id = Number(/^created (\d+)$/m.exec(output)?.[1])
  const response = await fetch(`${url}/tasks/${id}.json`)
  const record = (await response.json()) as Readonly<Record<string, unknown>>
  for (const [name, value] of Object.entries(fields))
    if (JSON.stringify(record[name]) !== JSON.stringify(value))
      throw new Error(`the record has ${name} ${JSON.stringify(record[name])}`)
  return id
}

/** Tries one client in a new folder, and prints its line. */
async function tryAndReport(client: Client, root: string, url: string): Promise<void> {
  const folder = join(root, 'clients', client.name)
  const start = performance.now()
  const time = () => `${((performance.now() - start) / 1000).toFixed(0)} s`
  try {
    const text = readFileSync(join(root, 'openapi.json'), 'utf8').trim()
    writeFile(folder, 'openapi.json', text)
    writeFile(folder, 'openapi.ts', `export const document = ${text} as const\n`)
    const id = await tryClient(client, folder, url)
    const packages = client.packages.join(' ')
    console.log(`${client.name}: compiles, created record ${id} (${time()}; ${packages})`)
  } catch (error) {
    process.exitCode = 1
    console.log(`${client.name}: FAILS (${time()}): ${(error as Error).message}`)
  }
}

const { root, remove } = createApplication()
try {
  await runFw(root, 'openapi', '--output', join(root, 'openapi.json'))
  const server = await runApplication(root)
  try {
    for (const client of clients)
      if (positionals.length === 0 || positionals.includes(client.name))
        await tryAndReport(client, root, server.url)
  } finally {
    await server.stop()
  }
} finally {
  if (values.keep) console.log(`kept: ${root}`)
  else await remove()
}
