/** Relations of a model with itself, and factories of tables with two references to one table. */
import { afterAll, expect, test } from 'vitest'
import { findGenerator, openProject, type DatabaseSchema } from '../../src/tools/generate.ts'
import { newFolder, planned, removeFolder } from './folder.ts'

const root = newFolder()
afterAll(() => removeFolder(root))

const relations = (line: string) =>
  planned(root, line).files.find(({ path }) => path.endsWith('person-relations.ts'))?.text

test.each([
  'scaffold persons person name:String bossId:Option[Long] boss:Option[Person] friends:Seq[Person]',
  'scaffold persons person name:String boss:references?:person friends:Seq[Person]',
])('%s has both directions of the relation', (line) => {
  expect(relations(line)).toContain("personBoss = belongsTo(Person, 'bossId', Person)")
  expect(relations(line)).toContain("personFriends = hasMany(Person, Person, 'bossId')")
})

test('many records of the own model need a field that refers to it', () => {
  expect(() => relations('scaffold persons person name:String friends:Seq[Person]')).toThrow(
    'it needs the field personId of the person',
  )
})

const column = (name: string, type: string, isKey = false) => ({
  name,
  type,
  sqlType: type,
  isArray: false,
  length: undefined,
  digits: undefined,
  decimals: undefined,
  isNullable: false,
  default: isKey ? 'identity' : undefined,
  isGenerated: false,
  labels: undefined,
})

test('a factory sets both references that a check compares, although no sample satisfies the check', () => {
  const shared = { primaryKey: ['id'], uniqueKeys: [], domains: new Map<string, string>() }
  const keys = ['from_id', 'to_id']
  const database: DatabaseSchema = {
    tables: [
      {
        ...shared,
        name: 'areas',
        columns: [column('id', 'int4', true), column('name', 'text')],
        foreignKeys: [],
        checks: [],
        samples: new Map([['name', 'Something New']]),
      },
      {
        ...shared,
        name: 'area_links',
        columns: [column('id', 'int4', true), ...keys.map((name) => column(name, 'int4'))],
        foreignKeys: keys.map((name) => ({ columns: [name], table: 'areas', references: ['id'] })),
        checks: [{ columns: keys, sql: '(from_id <> to_id)' }],
        samples: new Map(),
      },
    ],
    others: [],
    structure: '',
  }
  const { files } = findGenerator('reverse-scaffold-all').plan(openProject(root, database), [])
  const factory = files.find(({ path }) => path.endsWith('test/factory/area-link.ts'))!.text
  expect(factory).toContain("import { createArea } from '#test/factory/area'")
  for (const field of ['fromId', 'toId'])
    expect(factory).toContain(`${field}: fields.${field} ?? (await createArea()),`)
})
