/** Holds the architecture: the house as it stands keeps every rule, and a planted violation breaks it. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { houseOf, readHouse } from './support/house.ts'
import type { House } from './support/house.ts'
import * as style from './support/style.ts'
import * as walls from './support/tower.ts'

const house = readHouse(process.cwd())
const page = (file: string) => readFileSync(file, 'utf8')

const unexplained = (planted: House) =>
  style.unexplainedCodes(
    planted,
    planted === house ? page('docs/errors.md') : '| `base.known` | cause | mend |\n',
  )
const misdrawn = (planted: House) =>
  walls.misdrawn(
    planted,
    planted === house ? page('ARCHITECTURE.md') : '```\nhttp   requests\nbase   the ground\n```\n',
  )

/** A small house that keeps every rule; each violation is planted into it. */
const sound = {
  'src/base.ts': "/** base: the ground. */\nexport { greet } from './base/greet.ts'\n",
  'src/base/greet.ts':
    "/** Greets. */\n\n/** Says hello. */\nexport const greet = () => 'base.known'\n",
  'src/base/error-codes.ts': "/** Codes. */\nexport type ErrorCode =\n  | 'base.known'\n",
  'src/http.ts': "/** http: requests. */\nexport { ask } from './http/ask.ts'\n",
  'src/http/ask.ts':
    "/** Asks. */\nimport { greet } from '../base.ts'\n\n/** Asks. */\nexport const ask = () => greet()\n",
}

const opening = '/** A file. */\n'
const codes = (...names: string[]) => ({
  'src/base/error-codes.ts': `${opening}export type ErrorCode =\n${names.map((name) => `  | '${name}'\n`).join('')}`,
})

interface Rule {
  readonly name: string
  readonly check: (house: House) => string[]
  /** Each: files laid over the sound house, and words of the complaint. */
  readonly planted: readonly (readonly [Readonly<Record<string, string>>, string])[]
}

const rules: readonly Rule[] = [
  {
    name: 'every file is in a room of the tower, and every room has a face',
    check: walls.strangers,
    planted: [
      [{ 'src/garage.ts': '/** garage: cars. */\n' }, 'src/garage: not a room'],
      [{ 'src/view/page.ts': opening }, 'src/view: the room has no face'],
    ],
  },
  {
    name: 'ARCHITECTURE.md draws the tower as it is',
    check: misdrawn,
    planted: [[{ 'src/view.ts': '/** view: pages. */\n' }, 'the rooms are view, http, base']],
  },
  {
    name: 'a room imports only rooms below it',
    check: walls.climbing,
    planted: [
      [
        { 'src/base/up.ts': `${opening}import { ask } from '../http.ts'\n` },
        'src/base/up.ts:2: base imports http, which stands above it',
      ],
      [
        { 'src/base/up.ts': `${opening}import type { ask } from '../http.ts'\n` },
        'base imports http',
      ],
      [{ 'src/base/up.ts': `${opening}export * from '../http.ts'\n` }, 'base imports http'],
      [{ 'src/base/up.ts': `${opening}type A = import('../http.ts').A\n` }, 'base imports http'],
      [{ 'src/base/up.ts': `${opening}const a = import('../http.ts')\n` }, 'base imports http'],
    ],
  },
  {
    name: 'a room is entered by its face',
    check: walls.trespassing,
    planted: [
      [
        { 'src/http/ask.ts': `${opening}import { greet } from '../base/greet.ts'\n` },
        'src/http/ask.ts:2: imports src/base/greet.ts past the face',
      ],
      [
        { 'src/http/ask.test.ts': `${opening}import { greet } from '../base/greet.ts'\n` },
        'src/http/ask.test.ts:2: imports src/base/greet.ts past the face',
      ],
    ],
  },
  {
    name: 'no imports go round in a loop, types counted',
    check: walls.loops,
    planted: [
      [
        {
          'src/base/a.ts': `${opening}import type { B } from './b.ts'\nexport type A = B\n`,
          'src/base/b.ts': `${opening}import { C } from './c.ts'\nexport type B = C\n`,
          'src/base/c.ts': `${opening}export type { A as C } from './a.ts'\n`,
        },
        'src/base/a.ts -> src/base/b.ts -> src/base/c.ts -> src/base/a.ts',
      ],
      [
        { 'src/http/ask.ts': `${opening}import { ask } from '../http.ts'\n` },
        'src/http.ts -> src/http/ask.ts -> src/http.ts',
      ],
    ],
  },
  {
    name: 'packages from outside stay in their rooms',
    check: walls.smuggling,
    planted: [
      [
        { 'src/http/listen.ts': `${opening}import { createServer } from 'node:http'\n` },
        'src/http/listen.ts:2: node:http does not belong into http',
      ],
      [{ 'src/http/x.ts': `${opening}import type { Kysely } from 'kysely'\n` }, 'kysely does not'],
      [{ 'src/http/x.ts': `${opening}const pg = await import('pg')\n` }, 'pg does not belong'],
      [
        { 'src/base/x.ts': `${opening}import { rm } from 'node:fs/promises'\n` },
        'node:fs does not',
      ],
      [{ 'src/base/x.ts': `${opening}import { pad } from 'left-pad'\n` }, 'left-pad does not'],
    ],
  },
  {
    name: 'a face opens with its caption',
    check: style.uncaptioned,
    planted: [[{ 'src/view.ts': '/** Pages. */\n' }, 'src/view.ts:1']],
  },
  {
    name: 'a file opens with one sentence about itself',
    check: style.unopened,
    planted: [
      [{ 'src/base/mute.ts': 'export const a = 1\n' }, 'src/base/mute.ts:1'],
      [{ 'src/base/mute.ts': '// a comment\n' }, 'src/base/mute.ts:1'],
    ],
  },
  {
    name: 'names are kebab-case and say what is inside',
    check: style.badlyNamed,
    planted: [
      [{ 'src/base/elapsedTime.ts': opening }, 'not kebab-case'],
      [{ 'src/base/base.ts': opening }, "its room's own name"],
      [{ 'src/base/types.ts': opening }, 'says nothing'],
      [{ 'src/base/string-utils.ts': opening }, 'says nothing'],
      [{ 'src/base/index.ts': opening }, 'says nothing'],
    ],
  },
  {
    name: 'files stay short',
    check: style.tooLong,
    planted: [[{ 'src/base/long.ts': `${opening}${'//\n'.repeat(250)}` }, '251 lines']],
  },
  {
    name: 'exports are named',
    check: style.defaultExports,
    planted: [
      [{ 'src/base/x.ts': `${opening}export default 1\n` }, 'src/base/x.ts: has a default export'],
      [{ 'src/base/x.ts': `${opening}const a = 1\nexport { a as default }\n` }, 'default export'],
    ],
  },
  {
    name: 'no barrels inside a room',
    check: style.barrels,
    planted: [[{ 'src/base/all.ts': `${opening}export * from './greet.ts'\n` }, 'is a barrel']],
  },
  {
    name: 'what a face shows has a docstring',
    check: style.undocumented,
    planted: [
      [
        {
          'src/base/greet.ts': `${opening}export const greet = () => 1\n`.replace(
            '*/\n',
            '*/\n\nlet a\n',
          ),
        },
        'src/base/greet.ts:4: greet is shown by a face',
      ],
    ],
  },
  {
    name: 'error codes are sorted, named after a room and thrown',
    check: style.idleCodes,
    planted: [
      [codes('base.known', 'base.idle'), 'base.idle is out of order'],
      [codes('base.idle'), 'nothing throws base.idle'],
      [codes('Known'), 'Known is not named room.what'],
      [codes('garage.known'), 'garage.known is not named room.what'],
    ],
  },
  {
    name: 'error codes are explained in docs/errors.md',
    check: unexplained,
    planted: [
      [codes('base.known', 'base.new'), 'docs/errors.md: no row for base.new'],
      [codes('base.new'), 'docs/errors.md: base.known is no code'],
    ],
  },
]

describe.each(rules)('$name', ({ check, planted }) => {
  test('the house keeps it', () => {
    expect(check(house)).toEqual([])
  })

  test('a sound house keeps it', () => {
    expect(check(houseOf(sound))).toEqual([])
  })

  test.each(planted.map(([files, complaint]) => ({ files, complaint })))(
    'a planted violation breaks it: $complaint',
    ({ files, complaint }) => {
      expect(check(houseOf({ ...sound, ...files })).join('\n')).toContain(complaint)
    },
  )
})
