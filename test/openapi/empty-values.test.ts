/** Absent, null, empty and mistyped values of every generated field: the document allows what the server takes. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { toSnakeCase } from '../../src/runtime/params.ts'
import { fieldTypes } from '../../src/tools/generate/field-type.ts'
import { describeApplication } from '../../src/tools/openapi.ts'
import { testApp, type Page, type Visitor } from '../../src/tools/testing.ts'
import { generate, linkSources, newFolder, removeFolder } from '../generate/folder.ts'
import { ResponseChecker } from './response-checker.ts'

/** A valid JSON value of each type. */
const samples: Readonly<Record<string, unknown>> = {
  BigDecimal: '7.50',
  BigInt: '7',
  Boolean: true,
  ByteArray: 'ZGF0YQ==',
  DateTime: '2000-01-02T10:20:30Z',
  Duration: 'PT2H30M',
  Email: 'ann@example.com',
  IpAddress: '192.0.2.1',
  Json: { a: 1 },
  LocalDate: '2000-01-02',
  LocalDateTime: '2000-01-02T10:20:30',
  LocalTime: '10:20:30',
  String: 'Ann',
  Uuid: '0b0e3b2c-1f5c-4b11-9a4e-2f6f2f0f5a01',
  attachment: 'unused',
  decimal: '7.5',
  enum: 'draft',
  list: ['draft'],
  text: 'Ann',
  url: 'https://example.com',
}
const sampleOf = (type: string): unknown => samples[type] ?? 7
const lists = ['String', 'Short', 'Int', 'Long', 'Uuid', 'LocalDate']

interface GeneratedField {
  readonly name: string
  readonly word: string
  readonly sample: unknown
}

const scalars = [...fieldTypes.keys(), 'enum', 'url', 'text', 'decimal']
const details: Readonly<Record<string, string>> = { enum: ':draft,public', decimal: ':10,2' }
const fields: readonly GeneratedField[] = [
  ...scalars.flatMap((type): GeneratedField[] =>
    ['', '?'].map((mark) => {
      const name = `${mark === '' ? 'a' : 'b'}${type}`
      const word = `${name}:${type === 'decimal' ? 'BigDecimal' : type}${mark}${details[type] ?? ''}`
      return { name, word, sample: sampleOf(type) }
    }),
  ),
  ...lists.map((type) => {
    return { name: `list${type}`, word: `list${type}:${type}[]`, sample: [sampleOf(type)] }
  }),
  { name: 'nick', word: 'nick:String?:varchar(5)', sample: 'ann' },
]

const root = newFolder()
afterAll(() => removeFolder(root))
// Small resources, because a request costs as much as its record has fields.
const resources = ['apple', 'pear', 'plum', 'grape'].map((name, at) => {
  const own = fields.filter((_field, index) => index % 4 === at)
  generate(root, `scaffold ${name}s ${name} ${own.map(({ word }) => word).join(' ')}`)
  return { path: `/${name}s`, fields: own }
})
generate(root, 'scaffold visitors visitor name:String nick:String?:unique isMember:Boolean?')
linkSources(root)
const { Bootstrap } = await import(pathToFileURL(join(root, 'src/main/bootstrap.ts')).href)
const app = await testApp(Bootstrap, { root })
const { document } = await describeApplication(app.application)
const checker = new ResponseChecker(document)

const absent = Symbol('absent')
const values: readonly unknown[] = [
  absent,
  null,
  '',
  ' ',
  'x',
  '7',
  7,
  7.5,
  1e300,
  true,
  false,
  [],
  [null],
  [''],
  ['x'],
  [7],
  [[]],
  {},
]

type Body = Readonly<Record<string, unknown>>

/**
 * The values of other types that the server reads as this one: a scalar counts by its text, so `7` is a text and `"7"` a number.
 * The empty text is no other value.
 */
function readAs(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) {
    const items = value.map((item) => [item, ...readAs(item)])
    return items.length === 1 ? items[0]!.map((item) => [item]) : []
  }
  if (typeof value === 'number') return [value > 2 ** 53 ? String(BigInt(value)) : String(value)]
  if (typeof value === 'boolean') return [String(value)]
  if (typeof value !== 'string' || value.trim() === '') return []
  if (value === 'true') return [true]
  return Number.isNaN(Number(value)) ? [] : [Number(value)]
}

/** Returns whether a record contains what was sent. The record is read after the write. */
function isStored(method: string, name: string, sent: unknown, stored: unknown): boolean {
  // PUT and PATCH may leave the earlier value.
  if (sent === absent) return method !== 'post' || isDeepStrictEqual(stored, valueOfAbsent(name))
  if (sent === '' && /^(?:b(?!Json)|nick$)/.test(name)) return stored === null
  return [sent, ...readAs(sent)].some((each) => isSame(each, stored))
}

/** The value of an absent field that is taken: an optional one, a boolean or a list. */
const valueOfAbsent = (name: string): unknown => {
  if (name.startsWith('list')) return []
  return name === 'aBoolean' ? false : null
}

/** Decimals are texts, which may have more zeros than were sent. */
function isSame(sent: unknown, stored: unknown): boolean {
  if (isDeepStrictEqual(sent, stored)) return true
  const isNumeric = (value: unknown) => typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value)
  return isNumeric(sent) && isNumeric(stored) && Number(sent) === Number(stored)
}

let visitor: Visitor
let headers: Record<string, string>
beforeEach(async () => {
  visitor = app.session()
  const page = await visitor.get('/visitors/new')
  headers = { 'x-csrf-token': page.attribute('meta[name="csrf-token"]', 'content') ?? '' }
})

/** Returns a mismatch between the document and the response to a body in which the field `name` has a value. */
function findMismatch(
  [path, method]: readonly [path: string, method: string],
  [name, value, others]: readonly [name: string, value: unknown, others: Body],
  page: Page,
): string[] {
  const bodies = [value, ...readAs(value)].map((each) => withField(others, name, each))
  const isAllowed = bodies.some((body) => checker.allowsRequest(path, method, body))
  const what = `${method} ${name}: ${value === absent ? 'absent' : JSON.stringify(value)}`
  if (page.status >= 500) return [`${what} is a ${page.status}`]
  const isTaken = page.status < 300
  if (isTaken !== isAllowed)
    return [
      `${what} is ${isAllowed ? 'allowed' : 'not allowed'}, but a ${page.status} ${isTaken ? '' : page.body}`,
    ]
  if (isTaken) {
    const stored: unknown = page.json()[toSnakeCase(name)]
    return isStored(method, name, value, stored)
      ? []
      : [`${what} is stored as ${JSON.stringify(stored)}`]
  }
  const errors = page.json().errors ?? page.json()
  const failed = Object.entries(errors).filter(([, messages]) => (messages as string[]).length > 0)
  const isNamed = failed.length === 1 && failed[0]![0] === name
  return isNamed ? [] : [`${what} has the errors ${JSON.stringify(errors)}`]
}

const withField = (others: Body, name: string, value: unknown): Body =>
  value === absent ? others : { ...others, [name]: value }

let cases = 0

describe.each(resources)('$path', ({ path, fields: own }) => {
  const required = own.filter(({ name }) => name.startsWith('a'))
  const valid = Object.fromEntries(required.map(({ name, sample }) => [name, sample]))

  test.each(['post', 'put', 'patch'])('%s takes what the document allows', async (method) => {
    const created = await visitor.post(`${path}.json`, { json: valid, headers })
    expect([created.status, created.body]).toEqual([201, expect.any(String)])
    const isPost = method === 'post'
    const target = isPost ? `${path}.json` : new URL(created.location!, 'http://x').pathname
    const operation = [isPost ? target : `${path}/{id}.json`, method] as const
    const mismatches: string[] = []
    for (const { name, sample } of own)
      for (const value of [...values, sample, [sample]]) {
        cases += 1
        const { [name]: _replaced, ...rest } = valid
        const others = method === 'patch' ? {} : rest
        const json = withField(others, name, value)
        const page = await visitor.request(method.toUpperCase(), target, { json, headers })
        mismatches.push(...findMismatch(operation, [name, value, others], page))
      }
    expect(mismatches).toEqual([])
  })
})

test('covers at least 2,000 cases', () => {
  expect(cases).toBeGreaterThanOrEqual(2000)
})

interface VisitorRow {
  readonly nick: string | null
  readonly is_member: boolean | null
}

const saved = async (page: Page): Promise<VisitorRow> => {
  expect([page.status, page.location]).toEqual([expect.any(Number), expect.any(String)])
  const { pathname } = new URL(page.location!, 'http://x')
  return (await visitor.get(`${pathname.replace('.json', '').replace('.xml', '')}.json`)).json()
}

test('an empty unique text that is optional is NULL in every format, so that two people may leave it empty', async () => {
  const xml = { body: '<visitor><name>Ann</name><nick></nick></visitor>' }
  const bodies = [
    { form: { name: 'Ann', nick: '' } },
    { form: { name: 'Ann', nick: '' } },
    { json: { name: 'Ann', nick: '' } },
    { json: { name: 'Ann', nick: null } },
    { json: { name: 'Ann' } },
    xml,
  ]
  for (const body of bodies) {
    const path = body === xml ? '/visitors.xml' : 'json' in body ? '/visitors.json' : '/visitors'
    const type = body === xml ? { 'content-type': 'application/xml' } : {}
    const page = await visitor.post(path, { ...body, headers: { ...headers, ...type } })
    expect((await saved(page)).nick).toBeNull()
  }
})

test('a form sets an optional boolean to true, false and NULL', async () => {
  const created = await visitor.post('/visitors', {
    form: { name: 'Ann', isMember: 'true' },
    headers,
  })
  expect((await saved(created)).is_member).toBe(true)
  const path = new URL(created.location!, 'http://x').pathname
  const form = await visitor.get(`${path}/edit`)
  const options = ['', 'true', 'false'].map(
    (value) => `select[name="isMember"] option[value="${value}"]`,
  )
  expect(options.map((option) => form.html(option))).toEqual(['', 'yes', 'no'])
  for (const [isMember, stored] of [
    ['false', false],
    ['', null],
    ['true', true],
  ] as const) {
    const changed = await visitor.post(path, { form: { name: 'Ann', isMember }, headers })
    expect((await saved(changed)).is_member).toBe(stored)
    const page = await visitor.get(`${path}/edit`)
    expect(page.attribute('select[name="isMember"] option[selected]', 'value') ?? '').toBe(isMember)
  }
})
