/**
 * Plays one editing session on several language servers: `fw lsp` in a template and in code, the language server of TypeScript 7 in
 * the template's module and in code, and typescript-language-server with TypeScript 6 in code.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { generateSources } from '../../src/templates/compile.ts'
import { findTypeScript } from '../../src/tools/workspace.ts'
import { copyExample, removeApplication, webInf } from '../../test/lsp/editor.ts'
import { buildPackage } from '../build.ts'
import { type Measurement, measureSession, type Subject } from './session.ts'

const { values } = parseArgs({
  options: {
    templates: { type: 'string', default: '500' },
    edits: { type: 'string', default: '200' },
    starts: { type: 'string', default: '5' },
  },
})
const [templates, edits, starts] = [values.templates, values.edits, values.starts].map(Number)

const repository = join(import.meta.dirname, '../..')
const require = createRequire(import.meta.url)
/** Returns the path of a file of a package of the benchmarks, which have TypeScript 6 beside the one of Fw. */
const packageFile = (name: string, file: string): string =>
  join(dirname(require.resolve(`${name}/package.json`)), file)

const list = `${webInf}/views/members/_list.html.ssp`
const inTemplate = {
  file: list,
  line: '#for (member of members)',
  around: ['<p>${', '}</p>\n'],
  completion: ['member.', 'birthday'],
} as const
const inCode = {
  file: 'src/main/controller/members-controller.ts',
  line: '  async index() {',
  around: ['    void ', '\n'],
  completion: ['this.', 'params'],
} as const
const inModule = {
  file: `.fw/${list.slice(webInf.length + 1)}.ts`,
  line: ' for (const member of members) {',
  around: [' __out += __escapeText(', ')\n'],
  completion: ['member.', 'birthday'],
} as const
const native = {
  command: [findTypeScript(repository), '--lsp', '--stdio'],
  isPulled: true,
} as const
const subjects: readonly Subject[] = [
  { name: 'fw lsp, template', ...inTemplate },
  { name: 'fw lsp, code', ...inCode },
  { name: 'tsc --lsp, module of the template', ...inModule, ...native },
  { name: 'tsc --lsp, code', ...inCode, ...native },
  {
    name: 'typescript-language-server, code',
    ...inCode,
    command: [packageFile('typescript-language-server', 'lib/cli.mjs'), '--stdio'],
    initializationOptions: { tsserver: { path: packageFile('typescript', 'lib/tsserver.js') } },
  },
]

/** Adds copies of the example's partial, each with a page that includes it. */
function addTemplates(root: string): void {
  const partial = readFileSync(join(root, list), 'utf8')
  const page = readFileSync(join(root, webInf, 'views/members/index.html.ssp'), 'utf8')
  for (let at = 0; at * 2 < templates!; at++) {
    const folder = join(root, webInf, `views/copies${at % 25}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `_list${at}.html.ssp`), partial)
    writeFileSync(join(folder, `page${at}.html.ssp`), page.replace("'_list'", `'_list${at}'`))
  }
}

/** Creates the application: as a user has it, with the types of the built package. */
function createApplication(): string {
  const root = copyExample('members')
  addTemplates(root)
  const project = join(repository, 'templates/application/tsconfig.json.tpl')
  writeFileSync(join(root, 'tsconfig.json'), readFileSync(project, 'utf8'))
  return root
}

function quantile(times: readonly number[], part: number): string {
  const sorted = [...times].sort((a, b) => a - b)
  return `${Math.round(sorted[Math.floor((sorted.length - 1) * part)]!)} ms`
}
const spread = (times: readonly number[]): string =>
  `${quantile(times, 0.5)} (95 %: ${quantile(times, 0.95)})`

function print(name: string, all: readonly Measurement[]): void {
  const [{ keys, completions, processor, memory }] = all as [Measurement]
  const rows = [
    [
      'response to initialize',
      quantile(
        all.map(({ initialize }) => initialize),
        0.5,
      ),
    ],
    [
      'mistakes of the first document',
      quantile(
        all.map((one) => one.firstMistakes),
        0.5,
      ),
    ],
    ['a key to its mistakes', spread(keys)],
    ['processor time of a key, and of its children', processor.map(Math.round).join(' + ') + ' ms'],
    ['a dot to its completions', spread(completions)],
    ['resident memory, and of its children', `${memory.join(' + ')} MiB`],
  ]
  process.stdout.write(`${name}\n${rows.map((row) => `  ${row.join(': ')}\n`).join('')}`)
}

buildPackage()
const root = createApplication()
try {
  const first = await measureSession(root, subjects[0]!, 1)
  print('fw lsp, its first start ever', [first])
  rmSync(join(root, '.fw'), { recursive: true })
  generateSources(root)
  for (const subject of subjects) {
    const all = [await measureSession(root, subject, edits!)]
    for (let start = 1; start < starts!; start++) all.push(await measureSession(root, subject, 1))
    print(subject.name, all)
  }
} finally {
  removeApplication(root)
}
