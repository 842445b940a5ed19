/** The grammar for editors, run by VS Code's engine, and the packed extension. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import oniguruma from 'vscode-oniguruma'
import textmate, { type IGrammar } from 'vscode-textmate'

const folder = join(import.meta.dirname, '../editors/vscode')
const wasm = join(createRequire(import.meta.url).resolve('vscode-oniguruma'), '../onig.wasm')

/** Minimal grammars for the embedded languages, which an editor provides. */
const embeddedGrammars: Readonly<Record<string, object>> = {
  'source.ts': {
    scopeName: 'source.ts',
    patterns: [
      { match: "'[^']*'", name: 'string.ts' },
      { match: '\\bawait\\b', name: 'keyword.ts' },
    ],
  },
  'text.html.basic': {
    scopeName: 'text.html.basic',
    patterns: [
      {
        begin: '<[a-z]+',
        end: '>',
        name: 'meta.tag.html',
        patterns: [{ begin: '"', end: '"', name: 'string.html' }],
      },
    ],
  },
}

let grammar: IGrammar

beforeAll(async () => {
  const { buffer, byteOffset, byteLength } = readFileSync(wasm)
  await oniguruma.loadWASM(buffer.slice(byteOffset, byteOffset + byteLength))
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns: string[]) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text: string) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      const embedded = embeddedGrammars[scope]
      if (embedded !== undefined)
        return textmate.parseRawGrammar(JSON.stringify(embedded), 'x.json')
      const file = join(folder, 'syntaxes/ssp.tmLanguage.json')
      return textmate.parseRawGrammar(readFileSync(file, 'utf8'), file)
    },
  })
  grammar = (await registry.loadGrammar('text.html.ssp'))!
})

/** Splits the text where the innermost scope changes, and omits white space. */
function tokenize(text: string): [string, string][] {
  const found: [string, string][] = []
  let stack = textmate.INITIAL
  for (const line of text.split('\n')) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack)
    stack = ruleStack
    for (const { startIndex, endIndex, scopes: all } of tokens) {
      const [piece, scope] = [line.slice(startIndex, endIndex), all.at(-1)!]
      const last = found.at(-1)
      if (startIndex > 0 && last?.[1] === scope) last[0] += piece
      else if (piece.trim() !== '') found.push([piece, scope])
    }
  }
  return found.map(([piece, scope]) => [piece.trim(), scope])
}

const control = 'keyword.control.ssp'
const begin = 'punctuation.section.embedded.begin.ssp'
const end = 'punctuation.section.embedded.end.ssp'

test.each<[string, [string, string][]]>([
  [
    "${f('}')}",
    [
      ['${', begin],
      ['f(', 'meta.embedded.expression.ssp'],
      ["'}'", 'string.ts'],
      [')', 'meta.embedded.expression.ssp'],
      ['}', end],
    ],
  ],
  [
    "<%= 'a' %>",
    [
      ['<%=', begin],
      ["'a'", 'string.ts'],
      ['%>', end],
    ],
  ],
  [
    "<% 'a' %>",
    [
      ['<%', begin],
      ["'a'", 'string.ts'],
      ['%>', end],
    ],
  ],
  [
    '<%-- ${a} --%>',
    [
      ['<%--', 'punctuation.definition.comment.ssp'],
      ['${a}', 'comment.block.ssp'],
      ['--%>', 'punctuation.definition.comment.ssp'],
    ],
  ],
  [
    '<%@val member: Member %>',
    [
      ['<%', begin],
      ['@val', 'storage.type.ssp'],
      ['member', 'variable.parameter.ssp'],
      [': Member', 'meta.embedded.code.ssp'],
      ['%>', end],
    ],
  ],
  [
    "<%@import type { M } from '#model/m' %>",
    [
      ['<%', begin],
      ['@import', 'keyword.control.import.ssp'],
      ['type', control],
      ['{ M }', 'meta.embedded.code.ssp'],
      ['from', control],
      ["'#model/m'", 'string.ts'],
      ['%>', end],
    ],
  ],
  [
    "<%@include '_form' %>",
    [
      ['<%', begin],
      ['@include', 'keyword.control.include.ssp'],
      ["'_form'", 'string.ts'],
      ['%>', end],
    ],
  ],
  [
    "#for (a of 'x')\ntext\n#end",
    [
      ['#for', control],
      ['(', begin],
      ['a', 'meta.embedded.code.ssp'],
      ['of', 'keyword.operator.expression.of.ssp'],
      ["'x'", 'string.ts'],
      [')', end],
      ['text', 'text.html.ssp'],
      ['#end', control],
    ],
  ],
  [
    '#if (f(a))\n#else\n#end',
    [
      ['#if', control],
      ['(', begin],
      ['f(a)', 'meta.embedded.code.ssp'],
      [')', end],
      ['#else', control],
      ['#end', control],
    ],
  ],
  [
    '\\${a} \\#if',
    [
      ['\\${', 'constant.character.escape.ssp'],
      ['a}', 'text.html.ssp'],
      ['\\#if', 'constant.character.escape.ssp'],
    ],
  ],
])('%s', (text, expected) => {
  expect(tokenize(text)).toEqual(expected)
})

test('an expression inside an attribute is highlighted, and the attribute continues after it', () => {
  expect(tokenize('<a class="x ${y} z">')).toEqual([
    ['<a class=', 'meta.tag.html'],
    ['"x', 'string.html'],
    ['${', begin],
    ['y', 'meta.embedded.expression.ssp'],
    ['}', end],
    ['z"', 'string.html'],
    ['>', 'meta.tag.html'],
  ])
})

test('the extension assigns the grammar to .ssp files', () => {
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as never
  const { contributes } = read('package.json') as {
    contributes: {
      languages: { id: string; extensions: string[] }[]
      grammars: { language: string; scopeName: string; path: string }[]
    }
  }
  const language = contributes.languages.find(({ extensions }) => extensions.includes('.ssp'))!
  expect(contributes.grammars).toContainEqual(
    expect.objectContaining({
      language: language.id,
      scopeName: 'text.html.ssp',
      path: './syntaxes/ssp.tmLanguage.json',
    }),
  )
})

describe('the extension of VS Code', () => {
  const target = join(mkdtempSync(join(tmpdir(), 'fw-vscode-')), 'fw-ssp.vsix')
  let files: Record<string, string>
  beforeAll(() => {
    execFileSync(process.execPath, ['scripts/package-vscode.ts', target])
    const entries = Object.entries(unzipSync(readFileSync(target)))
    files = Object.fromEntries(entries.map(([name, bytes]) => [name, strFromU8(bytes)]))
  })
  afterAll(() => rmSync(dirname(target), { recursive: true }))

  test('contains its code, grammar and descriptions, and nothing else', () => {
    expect(Object.keys(files).sort()).toEqual([
      '[Content_Types].xml',
      'extension.vsixmanifest',
      'extension/README.md',
      'extension/language-configuration.json',
      'extension/out/extension.js',
      'extension/package.json',
      'extension/syntaxes/ssp.tmLanguage.json',
    ])
  })

  test('each file that its manifest names is in it', () => {
    const { main, contributes } = JSON.parse(files['extension/package.json']!) as {
      main: string
      contributes: { languages: { configuration: string }[]; grammars: { path: string }[] }
    }
    const named = [
      main,
      ...contributes.languages.map(({ configuration }) => configuration),
      ...contributes.grammars.map(({ path }) => path),
    ]
    for (const file of named) expect(files).toHaveProperty([posix.join('extension', file)])
  })

  test('its code needs only Node and VS Code, and starts and stops the server', () => {
    const code = files['extension/out/extension.js']!
    const modules = [...code.matchAll(/\brequire\(["']([^"']+)["']\)/g)].map(([, name]) => name!)
    expect(modules.filter((name) => name !== 'vscode' && !isBuiltin(name))).toEqual([])
    expect(code).toMatch(/exports\.activate = activate/)
    expect(code).toMatch(/exports\.deactivate = deactivate/)
  })
})
