/** Checks the architecture rules: the sources pass each rule, and planted violations fail it. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import * as layering from './support/layers.ts'
import { parseSourceFiles, readSourceFiles } from './support/source-files.ts'
import type { SourceFiles } from './support/source-files.ts'
import * as style from './support/style.ts'

const repository = readSourceFiles(process.cwd())
const readPage = (file: string) => readFileSync(file, 'utf8')

const undocumentedCodes = (files: SourceFiles) =>
  style.undocumentedCodes(
    files,
    files === repository ? readPage('docs/errors.md') : '| `base.known` | cause | fix |\n',
  )
const drawingMismatch = (files: SourceFiles) =>
  layering.drawingMismatch(
    files,
    files === repository
      ? readPage('ARCHITECTURE.md')
      : '```\nhttp   requests\nbase   errors\n```\n',
  )

/** Source files that pass every rule; each violation is added to them. */
const valid = {
  'src/runtime/base.ts': "/** base: errors. */\nexport { greet } from './base/greet.ts'\n",
  'src/runtime/base/greet.ts':
    "/** Greets. */\n\n/** Says hello. */\nexport const greet = () => 'base.known'\n",
  'src/runtime/base/error-codes.ts': "/** Codes. */\nexport type ErrorCode =\n  | 'base.known'\n",
  'src/runtime/http.ts': "/** http: requests. */\nexport { send } from './http/send.ts'\n",
  'src/runtime/http/send.ts':
    "/** Sends. */\nimport { greet } from '../base.ts'\n\n/** Sends. */\nexport const send = () => greet()\n",
}

const opening = '/** A file. */\n'
const codes = (...names: string[]) => ({
  'src/runtime/base/error-codes.ts': `${opening}export type ErrorCode =\n${names.map((name) => `  | '${name}'\n`).join('')}`,
})

interface Rule {
  readonly name: string
  readonly check: (files: SourceFiles) => string[]
  /** Files to add to the valid ones, and a part of the expected message. */
  readonly violations: readonly (readonly [Readonly<Record<string, string>>, string])[]
}

const rules: readonly Rule[] = [
  {
    name: 'every file is in a module of its group, and every module has a public interface',
    check: layering.misplacedModules,
    violations: [
      [{ 'src/runtime/garage.ts': '/** garage: cars. */\n' }, 'src/runtime/garage: not a module'],
      [
        { 'src/runtime/view/page.ts': opening },
        'src/runtime/view: the module has no public interface',
      ],
    ],
  },
  {
    name: 'ARCHITECTURE.md lists the layers',
    check: drawingMismatch,
    violations: [
      [{ 'src/runtime/view.ts': '/** view: pages. */\n' }, 'the layers are view, http, base'],
    ],
  },
  {
    name: 'a module imports only modules below it',
    check: layering.upwardImports,
    violations: [
      [
        { 'src/runtime/base/up.ts': `${opening}import { send } from '../http.ts'\n` },
        'src/runtime/base/up.ts:2: base imports http, a layer above it',
      ],
      [
        { 'src/runtime/base/up.ts': `${opening}import type { send } from '../http.ts'\n` },
        'base imports http',
      ],
      [{ 'src/runtime/base/up.ts': `${opening}export * from '../http.ts'\n` }, 'base imports http'],
      [
        { 'src/runtime/base/up.ts': `${opening}type A = import('../http.ts').A\n` },
        'base imports http',
      ],
      [
        { 'src/runtime/base/up.ts': `${opening}const a = import('../http.ts')\n` },
        'base imports http',
      ],
    ],
  },
  {
    name: 'runtime code imports neither templates nor tools',
    check: layering.crossGroupImports,
    violations: [
      [
        {
          'src/tools/dev.ts': '/** dev: pages. */\n',
          'src/runtime/base/up.ts': `${opening}const a = import('../../tools/dev.ts')\n`,
        },
        'src/runtime/base/up.ts:2: runtime imports tools',
      ],
    ],
  },
  {
    name: 'a module is imported only through its public interface',
    check: layering.internalImports,
    violations: [
      [
        { 'src/runtime/http/send.ts': `${opening}import { greet } from '../base/greet.ts'\n` },
        'src/runtime/http/send.ts:2: imports src/runtime/base/greet.ts, an internal file',
      ],
      [
        { 'src/runtime/http/send.test.ts': `${opening}import { greet } from '../base/greet.ts'\n` },
        'src/runtime/http/send.test.ts:2: imports src/runtime/base/greet.ts, an internal file',
      ],
    ],
  },
  {
    name: 'there are no import cycles, types included',
    check: layering.importCycles,
    violations: [
      [
        {
          'src/runtime/base/a.ts': `${opening}import type { B } from './b.ts'\nexport type A = B\n`,
          'src/runtime/base/b.ts': `${opening}import { C } from './c.ts'\nexport type B = C\n`,
          'src/runtime/base/c.ts': `${opening}export type { A as C } from './a.ts'\n`,
        },
        'src/runtime/base/a.ts -> src/runtime/base/b.ts -> src/runtime/base/c.ts -> src/runtime/base/a.ts',
      ],
      [
        { 'src/runtime/http/send.ts': `${opening}import { send } from '../http.ts'\n` },
        'src/runtime/http.ts -> src/runtime/http/send.ts -> src/runtime/http.ts',
      ],
    ],
  },
  {
    name: 'packages are imported only by the modules that may',
    check: layering.disallowedPackages,
    violations: [
      [
        { 'src/runtime/http/listen.ts': `${opening}import { createServer } from 'node:http'\n` },
        'src/runtime/http/listen.ts:2: http must not import node:http',
      ],
      [
        { 'src/runtime/http/x.ts': `${opening}import type { Kysely } from 'kysely'\n` },
        'http must not import kysely',
      ],
      [
        { 'src/runtime/http/x.ts': `${opening}const pg = await import('pg')\n` },
        'http must not import pg',
      ],
      [
        { 'src/runtime/base/x.ts': `${opening}import { rm } from 'node:fs/promises'\n` },
        'base must not import node:fs',
      ],
      [
        { 'src/runtime/base/x.ts': `${opening}import { pad } from 'left-pad'\n` },
        'base must not import left-pad',
      ],
    ],
  },
  {
    name: 'a public interface starts with its caption',
    check: style.missingCaptions,
    violations: [[{ 'src/runtime/view.ts': '/** Pages. */\n' }, 'src/runtime/view.ts:1']],
  },
  {
    name: 'a file starts with one sentence that describes it',
    check: style.missingOpenings,
    violations: [
      [{ 'src/runtime/base/mute.ts': 'export const a = 1\n' }, 'src/runtime/base/mute.ts:1'],
      [{ 'src/runtime/base/mute.ts': '// a comment\n' }, 'src/runtime/base/mute.ts:1'],
    ],
  },
  {
    name: 'file names are kebab-case and describe the content',
    check: style.invalidNames,
    violations: [
      [{ 'src/runtime/base/elapsedTime.ts': opening }, 'not kebab-case'],
      [{ 'src/runtime/base/base.ts': opening }, "only the module's public interface has its name"],
      [{ 'src/runtime/base/types.ts': opening }, 'does not describe the content'],
      [{ 'src/runtime/base/string-utils.ts': opening }, 'does not describe the content'],
      [{ 'src/runtime/base/index.ts': opening }, 'does not describe the content'],
    ],
  },
  {
    name: 'files stay short',
    check: style.longFiles,
    violations: [[{ 'src/runtime/base/long.ts': `${opening}${'//\n'.repeat(500)}` }, '501 lines']],
  },
  {
    name: 'exports are named',
    check: style.defaultExports,
    violations: [
      [
        { 'src/runtime/base/x.ts': `${opening}export default 1\n` },
        'src/runtime/base/x.ts: has a default export',
      ],
      [
        { 'src/runtime/base/x.ts': `${opening}const a = 1\nexport { a as default }\n` },
        'default export',
      ],
    ],
  },
  {
    name: 'there are no barrels inside a module',
    check: style.barrels,
    violations: [
      [{ 'src/runtime/base/all.ts': `${opening}export * from './greet.ts'\n` }, 'is a barrel'],
    ],
  },
  {
    name: 'every name of a public interface has a docstring',
    check: style.missingDocstrings,
    violations: [
      [
        {
          'src/runtime/base/greet.ts': `${opening}export const greet = () => 1\n`.replace(
            '*/\n',
            '*/\n\nlet a\n',
          ),
        },
        'src/runtime/base/greet.ts:4: greet is exported and has no docstring',
      ],
    ],
  },
  {
    name: 'error codes are sorted, named after a module and thrown',
    check: style.invalidCodes,
    violations: [
      [codes('base.known', 'base.idle'), 'base.idle is out of order'],
      [codes('base.idle'), 'nothing throws base.idle'],
      [codes('Known'), 'Known is not named module.error'],
      [codes('garage.known'), 'garage.known is not named module.error'],
    ],
  },
  {
    name: 'docs/errors.md documents every error code',
    check: undocumentedCodes,
    violations: [
      [codes('base.known', 'base.new'), 'docs/errors.md: no row for base.new'],
      [codes('base.new'), 'docs/errors.md: base.known does not exist'],
    ],
  },
]

describe.each(rules)('$name', ({ check, violations }) => {
  test('the repository passes', () => {
    expect(check(repository)).toEqual([])
  })

  test('valid files pass', () => {
    expect(check(parseSourceFiles(valid))).toEqual([])
  })

  test.each(violations.map(([files, message]) => ({ files, message })))(
    'a violation fails: $message',
    ({ files, message }) => {
      expect(check(parseSourceFiles({ ...valid, ...files })).join('\n')).toContain(message)
    },
  )
})

test('every permission to import a package is used', () => {
  expect(layering.unusedPermissions(repository)).toEqual([])
  const removed = new Map([...repository].filter(([path]) => !path.endsWith('/compression.ts')))
  expect(layering.unusedPermissions(removed)).toEqual([
    'node:zlib: http does not import it (test/support/layers.ts)',
  ])
})
