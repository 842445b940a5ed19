/** Random and mutated files result in values or located errors: no crash, no hang, no prototype pollution. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Configuration } from './configuration.ts'
import { FwEnv } from './environment.ts'
import { expandVariables } from './expand-variables.ts'
import { plainValue } from './key-tree.ts'
import { parseKeyFile } from './parse-key-file.ts'
import { ConfigurationError } from './configuration-error.ts'
import type { ConfigProblem } from './configuration-error.ts'
import { readSettings } from './settings.ts'
import { defineSettings } from './settings.ts'

const runs = Number(process.env['FW_FUZZ_RUNS'] ?? 5000)

const schema = {
  http: defineSettings({
    body: { limit: { kind: 'size', default: 1024, min: 1, max: 4096, doc: 'Largest body' } },
    timeout: { kind: 'duration', default: 5000, max: 60_000, doc: 'Longest wait' },
    hosts: { kind: 'strings', doc: 'Own names' },
    headers: { kind: 'texts', doc: 'More headers' },
  }),
  db: { kind: 'each', doc: 'Databases', of: { url: { kind: 'string', doc: 'Where it is' } } },
} as const

const seed = `# all of it
http:
  body: { limit: 1KiB }
  timeout: 5s
  hosts: [a.org, 'b.org']
  headers.X-A: "é\\n"
db:
  default: &base
    url: postgres://\${DB_HOST:-localhost}/x
  other: { <<: *base, pool.max: 0x10 }
test:
  http: { timeout: 1m }
text: |
  two
  lines
__proto__: { polluted: yes }
constructor.prototype.polluted: yes
`
const pieces = [
  ...'{}[]:,&*!|>%@`#\'"-?\n\t\\ ~',
  '<<: ',
  '*base',
  '&base ',
  '${',
  '}',
  ':-',
  '${A:-${B}}',
  '__proto__',
  '.',
  '..',
  '\u0000',
  '\ud800',
  '\ufeff',
  '- - - ',
  '[[[[',
  '!!str ',
  '%YAML 1.1\n',
  '---\n',
  '...\n',
  '"',
  "'",
]

const piece = fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 6, unit: 'binary' }))
const edit = fc.record({ at: fc.nat(seed.length), drop: fc.nat(12), put: piece })
const mutated = fc.array(edit, { minLength: 1, maxLength: 6 }).map((edits) => {
  let text = seed
  for (const { at, drop, put } of edits) text = text.slice(0, at) + put + text.slice(at + drop)
  return text
})
const random = fc.array(fc.oneof(piece, fc.constantFrom('a: ', 'b', '\n  ', '1')), {
  maxLength: 40,
})
const file = fc.oneof(
  { weight: 3, arbitrary: mutated },
  { weight: 1, arbitrary: random.map((all) => all.join('')) },
)

function problemsOf(text: string): readonly ConfigProblem[] {
  const { section, problems } = parseKeyFile(text, 'application.yml')
  if (problems.length > 0) return problems
  const faults: ConfigProblem[] = []
  const expanded = expandVariables(section, { A: '1' }, faults)
  JSON.stringify(plainValue(expanded))
  try {
    const settings = readSettings(new Configuration(expanded, new FwEnv('test')), schema)
    expect(settings.http.body.limit).toBeGreaterThan(0)
    expect(settings.http.timeout).toBeLessThanOrEqual(60_000)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    faults.push(...error.problems)
  }
  return faults
}

test(`${runs} random and mutated files`, () => {
  fc.assert(
    fc.property(file, (text) => {
      const lines = text.split('\n').length
      for (const { origin } of problemsOf(text)) {
        expect(origin?.line).toBeGreaterThan(0)
        expect(origin?.line).toBeLessThanOrEqual(lines)
        expect(origin?.column).toBeGreaterThan(0)
      }
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    }),
    { numRuns: runs },
  )
})

test('excessive aliases, nesting and length are errors, quickly', () => {
  const levels = Array.from(
    { length: 30 },
    (_, level) => `a${level + 1}: &a${level + 1} [${`*a${level},`.repeat(9)}]`,
  )
  const bombs = [
    `a0: &a0 [x]\n${levels.join('\n')}`,
    `a: ${'['.repeat(50_000)}`,
    '{a: '.repeat(20_000),
    '- '.repeat(20_000),
    'a: &x [*x]',
    `${'a.'.repeat(5000)}a: 1`,
    'x'.repeat(2_000_000),
  ]
  for (const text of bombs) {
    const { problems } = parseKeyFile(text, 'application.yml')
    expect(problems).not.toEqual([])
  }
})
