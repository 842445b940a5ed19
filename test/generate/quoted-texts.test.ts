/** Texts of a database that generators write into files: names, comments, defaults and labels keep their characters. */
import { join } from 'node:path'
import fc from 'fast-check'
import { parse } from 'node-html-parser'
import { parseSync } from 'oxc-parser'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parseDocument } from 'yaml'
import { currentTransaction, migrate, type Database } from '../../src/runtime/db.ts'
import { openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import { splitTableName } from '../../src/runtime/model.ts'
import { generateViews } from '../../src/templates/compile.ts'
import { quoteInTemplate, textInTemplate } from '../../src/tools/generate/format-code.ts'
import { evaluate } from '../view/evaluate.ts'
import { generateFromDatabase, newFolder, removeFolder } from './folder.ts'

const nasty = [
  '7"',
  '${x}',
  "it's",
  '%>',
  '<%@val x: any %>',
  '#end',
  '</option>',
  'a\\b',
  '`',
  '&amp;',
  'größe 漢 😀',
  '-->',
  '*/',
  'a: #b',
  '- a',
  '\u2028',
]
const text = (maxLength: number) =>
  fc.oneof(
    fc.constantFrom(...nasty),
    fc
      .string({ unit: 'grapheme', minLength: 1, maxLength })
      .filter((value) => !value.includes('\0')),
  )

test('a label is the value and the text of its option, which is chosen by the label alone', () => {
  fc.assert(
    fc.property(text(20), (label) => {
      const template = `<%@val chosen: string %><select><option value="${textInTemplate(label)}" selected="\${chosen === ${quoteInTemplate(label)}}">${textInTemplate(label)}</option></select>`
      const option = (chosen: string) =>
        parse(evaluate(template)({ chosen })).querySelector('option')!
      expect(option(label).getAttribute('value')).toBe(label)
      expect(option(label).textContent).toBe(label)
      expect(option(label).hasAttribute('selected')).toBe(true)
      expect(option(`${label} `).hasAttribute('selected')).toBe(false)
    }),
    { numRuns: 100 },
  )
})

/** PostgreSQL cuts names and labels after 63 bytes. */
const name = text(12).filter((value) => Buffer.byteLength(value) < 64)
const column = fc.record({
  name: name.filter((value) => value !== 'id'),
  comment: text(20),
  default: text(20),
  labels: fc.option(fc.uniqueArray(name, { minLength: 1, maxLength: 3 })),
})
const table = fc.record({
  name,
  comment: text(20),
  columns: fc.uniqueArray(column, { selector: (one) => one.name, minLength: 1, maxLength: 4 }),
})
const schema = fc.uniqueArray(table, {
  selector: (one) => one.name,
  minLength: 4,
  maxLength: 4,
})
type Schema = ReturnType<typeof schema.generate>['value']

const identifier = (value: string): string => `"${value.replaceAll('"', '""')}"`
const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`

const schemaSql = (tables: Schema): string =>
  tables
    .map((one, at) => {
      const ddl = [`create table ${identifier(one.name)} (id bigserial primary key);`]
      for (const [index, { name, comment, labels, ...column }] of one.columns.entries()) {
        const type = labels === null ? 'text' : `label_${at}_${index}`
        if (labels !== null)
          ddl.push(`create type ${type} as enum (${labels.map(literal).join(', ')});`)
        ddl.push(
          `alter table ${identifier(one.name)} add ${identifier(name)} ${type} not null default ${literal(labels?.[0] ?? column.default)};`,
          `comment on column ${identifier(one.name)}.${identifier(name)} is ${literal(comment)};`,
        )
      }
      return [...ddl, `comment on table ${identifier(one.name)} is ${literal(one.comment)};`]
    })
    .flat()
    .join('\n')

/** The texts of all tables of a database. */
const textsSql = `select c.relname as table, obj_description(c.oid) as comment, a.attname as column,
    col_description(c.oid, a.attnum) as about, pg_get_expr(d.adbin, d.adrelid) as default,
    (select array_agg(enumlabel::text order by enumsortorder) from pg_enum where enumtypid = a.atttypid) as labels
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    left join pg_attrdef d on (d.adrelid, d.adnum) = (c.oid, a.attnum)
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'fw_schema_migrations'
  order by 1, a.attnum`

/** Parses TypeScript, and returns the values of its string literals. */
function stringsOf(path: string, code: string): ReadonlySet<unknown> {
  const { program, errors } = parseSync(path, code)
  expect([path, errors]).toEqual([path, []])
  const found = new Set<unknown>()
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, value } = node as { type?: string; value?: { cooked?: string } | string }
    if (type === 'Literal') found.add(value)
    if (type === 'TemplateElement') found.add((value as { cooked?: string }).cooked)
    Object.values(node).forEach(walk)
  }
  walk(program)
  return found
}

describe('every text of a database', () => {
  let database: Database
  let other: Database
  beforeAll(async () => {
    database = await openInMemory()
    other = await openInMemory()
  })
  afterAll(async () => {
    await database.close()
    await other.close()
  })

  const run = (target: Database, sql: string) =>
    target.transaction(() => currentTransaction()!.script(sql))
  const read = async (from: Database) => (await from.query({ sql: textsSql, parameters: [] })).rows

  test('is the same in the code, the templates and the baseline that are generated', async () => {
    await fc.assert(
      fc.asyncProperty(schema, async (tables) => {
        const reset = 'drop schema public cascade; create schema public;'
        await run(database, `${reset} ${schemaSql(tables)}`)
        const root = newFolder()
        onTestFinished(() => removeFolder(root))
        const { files } = await generateFromDatabase(root, database)
        const { templates, errors } = generateViews({ root })
        expect(errors).toEqual([])
        for (const { path, text } of files)
          if (path.endsWith('.yml')) expect([path, parseDocument(text).errors]).toEqual([path, []])
        const strings = new Set<unknown>()
        for (const { path, text } of files)
          if (path.endsWith('.ts')) for (const string of stringsOf(path, text)) strings.add(string)
        const inTemplates = new Set<unknown>()
        for (const { file, code } of templates)
          for (const string of stringsOf(`${file}.ts`, code)) inTemplates.add(string)
        const tableNames = new Set(
          [...strings].map((string) => splitTableName(String(string)).at(-1)),
        )
        for (const { name, columns } of tables) {
          expect(tableNames).toContain(name)
          for (const { name, labels, default: value } of columns) {
            if (!/^[a-z]+$/.test(name)) expect(strings).toContain(name)
            expect(strings).toContain(labels?.[0] ?? value)
            for (const label of labels ?? []) {
              expect(strings).toContain(label)
              expect(inTemplates).toContain(label)
            }
          }
        }
        await run(other, reset)
        await migrate(other, join(root, 'db/migration'))
        expect(await read(other)).toEqual(await read(database))
      }),
      // Shrinking would generate an application hundreds of times.
      { numRuns: 5, endOnFailure: true },
    )
  })
})
