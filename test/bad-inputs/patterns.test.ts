/**
 * Checks that each regular expression of the runtime takes linear time, for texts that are derived from the expression. An
 * exception needs a reason why no client can choose the text.
 */
import { describe, expect, it } from 'vitest'
import { linearGrowth, processorTime } from '../../src/runtime/base/growth.fixture.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { requestSchema, responseSchema } from '../../src/tools/openapi/json-schema.ts'
import { type SourcePattern, sourcePatterns } from '../support/patterns.ts'
import { type HostileText, SearchedPattern, hostileText } from './hostile-texts.ts'

/** Superlinear expressions, each with the reason why no client can choose a long text for it. */
const bounded: Readonly<Record<string, string>> = {
  'src/runtime/db/call-site.ts': 'reads frames that V8 wrote for an object without a message',
  'src/runtime/db/migration-files.ts': 'reads names of files in db/migration, at most 255 bytes',
  'src/runtime/view/map-template-error.ts': 'skips lines of more than 1,000 characters',
}

/** Constructed expressions, by their source: how the test reads them, or why no client chooses their text. */
const constructed: Readonly<Record<string, string>> = {
  'new RegExp(`^[ \\\\t]*(${token}/${token})`)': 'readers.test.ts: media types',
  'new RegExp(`[ \\\\t]*;[ \\\\t]*(${token})=(?:"(${inQuotes})"|(${token}))`, \'y\')':
    'readers.test.ts: media types, part headers',
  "new RegExp(pattern, 'u')": 'is a JSON Schema of the application',
  'new RegExp(isoPattern)': 'the OpenAPI pattern of ParamType.Duration below',
  'new RegExp(`^${token}$`)': 'readers.test.ts: part headers',
  "new RegExp(`[ \\\\t]*(${token})`, 'y')": 'readers.test.ts: part headers',
  "new RegExp(nonAscii, 'g')": 'readers.test.ts: queries',
  "new RegExp(`[^-.0-9\\\\u00b7${nameStart}]`, 'g')": 'readers.test.ts: names of XML elements',
  'new RegExp(`^[${nameStart}]`)': 'readers.test.ts: names of XML elements',
  'new RegExp(`\\\\b(?:TABLE|ON) ${name}\\\\b`)': 'reads the migration of sessions',
  "new RegExp(matcher.source, matcher.flags.replace(/[gy]/g, ''))":
    'is a route of the application: docs/routing.md says that it must not backtrack',
}

const patterns = sourcePatterns('src/runtime')
const literals = patterns.filter(({ pattern }) => pattern !== undefined)

const [short, long] = [64, 512]

/** Returns how the number of steps grows for the most hostile text of eight times the length. */
function measure(pattern: RegExp): { readonly growth: number; readonly text: HostileText } {
  const searched = new SearchedPattern(pattern)
  let worst = { text: searched.hostileTexts[0]!, steps: 0 }
  for (const text of searched.hostileTexts) {
    const steps = searched.countSteps(hostileText(text, short))
    if (steps === Infinity) return { growth: Infinity, text }
    if (steps > worst.steps) worst = { text, steps }
    if (steps > short ** 2) break
  }
  const { text, steps } = worst
  return { growth: searched.countSteps(hostileText(text, long)) / steps, text }
}

/** Searches a text of 1 MiB as the code does, and returns the processor time in microseconds. */
function searchTime(pattern: RegExp, text: HostileText): number {
  const large = hostileText(text, 2 ** 20)
  pattern.lastIndex = 0
  const began = processorTime()
  if (pattern.global) large.replace(pattern, '')
  else pattern.test(large)
  return processorTime() - began
}

const label = ({ file, source }: SourcePattern): string => `${file}: ${source}`

describe('the measurement', () => {
  it.each([
    /^https?:\/\/[^\s/?#]+\S*$/i,
    /\s+$/,
    /^(\d*)(\d*)x$/,
    /(?:^|,)[ \t]*\w*[ \t]*\w*$/,
    /^(?!.*;.*charset=)text/,
    /(?:a|b[^c]*)*c/y,
  ])('finds that %s is superlinear', (pattern) => {
    expect(measure(pattern).growth).toBeGreaterThan(linearGrowth)
  })

  it('finds the expressions of literals, of constructors and of JSON Schemas', () => {
    const own = sourcePatterns('test/support').map(({ source }) => source)
    expect(own).toContain(String.raw`/\.(?:test|fixture)\.ts$/`)
    expect(own).toContain('new RegExp(pattern, flags)')
    expect(literals.some(({ source }) => source.startsWith("'^[hH]"))).toBe(true)
    expect(patterns.length).toBeGreaterThan(200)
  })
})

const files = Object.entries(Object.groupBy(literals, ({ file }) => file))

it.each(files)('%s: each expression takes linear time, or is an exception', (file, all = []) => {
  const slow = all
    .map(({ source, pattern }) => ({ source, ...measure(pattern!) }))
    .filter(({ growth }) => growth > linearGrowth)
  if (file in bounded) return expect(slow.length).toBeGreaterThan(0)
  // If this fails: write a linear expression, or add the file to `bounded` with the reason.
  expect(slow).toEqual([])
  // The engine of JavaScript searches in linear time as well: 1 MiB takes minutes otherwise.
  for (const { pattern } of all)
    expect(searchTime(pattern!, measure(pattern!).text)).toBeLessThan(1_000_000)
})

it('each constructed expression is measured through its reader, or reads no text of a client', () => {
  const sources = patterns.filter(({ pattern }) => pattern === undefined)
  expect(sources.filter(({ source }) => !(source in constructed)).map(label)).toEqual([])
  const known = sources.map(({ source }) => source)
  expect(Object.keys(constructed).filter((source) => !known.includes(source))).toEqual([])
})

it.each(Object.entries(ParamType).filter(([, type]) => typeof type === 'object'))(
  'the OpenAPI pattern of ParamType.%s takes linear time',
  (_name, type) => {
    const schemas = [requestSchema(type as never), responseSchema(type as never)]
    for (const { pattern } of schemas as { pattern?: string }[])
      if (pattern !== undefined)
        expect(measure(new RegExp(pattern, 'u')).growth).toBeLessThan(linearGrowth)
  },
)
