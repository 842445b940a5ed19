/**
 * The delays of the language server: `npm run bench -- lsp [--templates 500] [--edits 200]`.
 *
 * Copies the example `members` until it has `--templates` templates, and plays an editing session with `fw lsp`: types into a template,
 * one character at a time, and asks for completions. Prints medians and 95th percentiles in milliseconds, and resident memory. The
 * same edits of the module go to `tsc --lsp` directly, so that the difference is the work of Fw.
 */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node'
import { projectPaths } from '../../src/runtime/view.ts'
import { generateSources, TemplateSet } from '../../src/templates/compile.ts'
import { copyExample, Editor, removeApplication, webInf } from '../../test/lsp/editor.ts'
import { listChildren } from '../../test/support/child-processes.ts'
import { buildPackage } from '../build.ts'

const { values } = parseArgs({
  options: {
    templates: { type: 'string', default: '500' },
    edits: { type: 'string', default: '200' },
  },
})
const [templates, edits] = [Number(values.templates), Number(values.edits)]
const typed = '<p>${member.name} ${s.i18n.get(`members.title`)}</p>'
const file = `${webInf}/views/members/_list.html.ssp`
const place = '#for (member of members)\n'

/** Adds copies of the example's partial, each with a page that includes it. */
function addTemplates(root: string): void {
  const partial = readFileSync(join(root, file), 'utf8')
  const page = readFileSync(join(root, webInf, 'views/members/index.html.ssp'), 'utf8')
  for (let at = 0; at * 2 < templates; at++) {
    const folder = join(root, webInf, `views/copies${at % 25}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `_list${at}.html.ssp`), partial)
    writeFileSync(join(folder, `page${at}.html.ssp`), page.replace("'_list'", `'_list${at}'`))
  }
}

function summary(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (part: number): string => sorted[Math.floor((sorted.length - 1) * part)]!.toFixed(1)
  return `median ${at(0.5)} ms, 95 % ${at(0.95)} ms`
}

const residentMiB = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024)

/** Returns the processor time of a process in milliseconds. */
function processorMillis(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  // The kernel counts 100 ticks a second.
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const print = (line: string): boolean => process.stdout.write(`${line}\n`)

/** Measures `fw lsp`. */
async function measureServer(root: string): Promise<void> {
  const began = performance.now()
  const editor = new Editor(root)
  await editor.initialize()
  print(`initialize: ${Math.round(performance.now() - began)} ms`)
  await editor.open(file)
  await editor.diagnostics(file)
  print(`first mistakes: ${Math.round(performance.now() - began)} ms after the start`)
  const [child] = listChildren(editor.child.pid!)
  const processors = (): readonly number[] => [editor.child.pid!, child!].map(processorMillis)
  const atFirst = processors()
  print(`processor time until then: ${atFirst[0]} ms, TypeScript ${atFirst[1]} ms`)
  const keys: number[] = []
  const completions: number[] = []
  let at = editor.text(file).indexOf(place) + place.length
  for (let edit = 0; edit < edits; edit++) {
    const key = typed[edit % typed.length]!
    const start = performance.now()
    await editor.edit(file, at, at, key)
    await editor.diagnostics(file)
    keys.push(performance.now() - start)
    at++
    if (key !== '.') continue
    const asked = performance.now()
    await editor.connection.sendRequest('textDocument/completion', {
      textDocument: { uri: editor.uri(file) },
      position: editor.lines(file).position(at),
      context: { triggerKind: 1 },
    })
    completions.push(performance.now() - asked)
  }
  const [own, other] = processors().map((time, at) => (time - atFirst[at]!) / edits)
  print(`key to mistakes: ${summary(keys)}`)
  print(`processor time of a key: ${own!.toFixed(1)} ms, TypeScript ${other!.toFixed(1)} ms`)
  print(`completion after a dot: ${summary(completions)}`)
  print(`memory: ${residentMiB(editor.child.pid!)} MiB, TypeScript ${residentMiB(child!)} MiB`)
  await editor.shutDown()
}

/** Measures `tsc --lsp` with the module of the same template. */
async function measureTypeScript(root: string): Promise<void> {
  generateSources(root)
  const template = file.slice(`${webInf}/`.length)
  const { code } = new TemplateSet(projectPaths({ root })).compile(template)
  const uri = pathToFileURL(join(root, `.fw/${template}.ts`)).href
  const program = join(root, 'node_modules/typescript/bin/tsc')
  const child = spawn(process.execPath, [program, '--lsp', '--stdio'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  )
  connection.onRequest(() => null)
  connection.onUnhandledNotification(() => {})
  connection.listen()
  const folder = { uri: pathToFileURL(root).href, name: 'application' }
  await connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri: folder.uri,
    workspaceFolders: [folder],
    capabilities: { textDocument: { diagnostic: {} } },
  })
  await connection.sendNotification('initialized', {})
  const document = { uri, languageId: 'typescript', version: 0, text: code }
  await connection.sendNotification('textDocument/didOpen', { textDocument: document })
  const times: number[] = []
  let before = 0
  for (let version = 1; version <= edits; version++) {
    const start = performance.now()
    await connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: [{ text: `${code}// ${'a'.repeat(version)}` }],
    })
    await connection.sendRequest('textDocument/diagnostic', { textDocument: { uri } })
    if (version > 1) times.push(performance.now() - start)
    else {
      before = processorMillis(child.pid!)
      print(`tsc --lsp alone: ${before} ms of processor time until the first mistakes`)
    }
  }
  const processor = (processorMillis(child.pid!) - before) / (edits - 1)
  print(`processor time of a change: ${processor.toFixed(1)} ms`)
  print(`tsc --lsp alone, a change of the module to its mistakes: ${summary(times)}`)
  await connection.sendRequest('shutdown')
  child.stdin.end()
  connection.dispose()
}

buildPackage()
const root = copyExample('members')
try {
  addTemplates(root)
  await measureServer(root)
  await measureTypeScript(root)
} finally {
  removeApplication(root)
}
