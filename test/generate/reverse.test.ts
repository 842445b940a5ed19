/** The reverse generators: an application over an existing database. */
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { currentTransaction, migrate, readSchema, type Database } from '../../src/runtime/db.ts'
import { engines, type OpenEngine } from '../../src/runtime/db/engines.fixture.ts'
import {
  openProject,
  findGenerator,
  readDatabaseSchema,
  removeFiles,
  writeFiles,
  type DatabaseSchema,
} from '../../src/tools/generate.ts'
import { pluralize, singularize } from '../../src/tools/generate/pluralize.ts'
import { change, contents, fw, linkSources, newFolder, removeFolder } from './folder.ts'

// FW_TEST_SCHEMA may name the file of another schema, such as a public one.
const ownSchema = join(import.meta.dirname, 'schemas/festival.sql')
const file = process.env['FW_TEST_SCHEMA'] ?? ownSchema
const isOwn = file === ownSchema

const opened: OpenEngine[] = []
const facts: DatabaseSchema[] = []
const roots: string[] = []
const folder = () => {
  const root = newFolder()
  roots.push(root)
  return root
}

const script = (database: Database, sql: string) =>
  database.transaction(() => currentTransaction()!.script(sql))

beforeAll(async () => {
  for (const { open } of engines) {
    const engine = await open()
    opened.push(engine)
    // The scripts of pg_dump change the search path.
    await script(engine.database, `${readFileSync(file, 'utf8')};\nreset search_path`)
    facts.push(await readDatabaseSchema(engine.database))
  }
})
afterAll(async () => {
  for (const engine of opened) await engine.close()
  await Promise.all(roots.map(removeFolder))
})

/** A fixed time, because it is part of the baseline's name, and the test databases are cached by name. */
const site = (root: string, at: number) => ({
  ...openProject(root, facts[at]),
  now: new Date('2026-01-02T03:04:05Z'),
})

/** Runs `fw g …` in this process. */
function generate(root: string, line: string, at = 0) {
  const [type = '', ...words] = line.split(' ')
  const plan = findGenerator(type).plan(site(root, at), words)
  return { notes: plan.notes, outcomes: writeFiles(root, plan.files) }
}

/** Runs `fw destroy …` in this process. */
function destroy(root: string, line: string) {
  const [type = '', ...words] = line.split(' ')
  return removeFiles(root, findGenerator(type).removal(site(root, 0), words).files)
}

const text = (root: string, path: string) => readFileSync(join(root, path), 'utf8')

describe('reverse-scaffold-all', () => {
  const root = folder()
  beforeAll(() => void generate(root, 'reverse-scaffold-all'))

  it('generates the same files with both engines', () => {
    const isPlain = ([path]: [string, string]) => !path.startsWith('db/migration/B')
    const known = Object.entries(contents(root))
    expect(known.filter((each) => !isPlain(each))).toHaveLength(1)
    for (let at = 1; at < facts.length; at++) {
      const other = folder()
      generate(other, 'reverse-scaffold-all', at)
      const plain = Object.entries(contents(other)).filter(isPlain)
      expect(Object.fromEntries(plain)).toEqual(Object.fromEntries(known.filter(isPlain)))
    }
  })

  it('changes nothing when it is repeated', () => {
    const done = generate(root, 'reverse-scaffold-all').outcomes.map((outcome) => outcome.done)
    expect(new Set(done)).toEqual(new Set(['unchanged']))
  })

  it('passes `fw check`', async () => {
    linkSources(root)
    const { code, said } = await fw(root, 'check')
    expect(said).toMatch(/ 0 mistakes/)
    expect(code).toBe(0)
  }, 120_000)

  // The tests request every page of every resource. Those of views have rows in an additional file.
  it('generates tests that pass', async () => {
    const rows = join(import.meta.dirname, 'views.test.ts.tpl')
    if (isOwn) copyFileSync(rows, join(root, 'src/test/controller/views.test.ts'))
    const settings = opened.map((engine) => engine.settings)
    const server = settings.find((each) => each.kind === 'postgres')
    const env: Record<string, string> =
      server === undefined ? {} : { FW_TEST_DATABASE_URL: server.url }
    const { code, said } = await fw({ cwd: root, env }, 'test')
    expect(said).toMatch(/fail 0/)
    expect(code).toBe(0)
  }, 240_000)

  it('generates a baseline that creates the same tables in every engine', async () => {
    for (const [at, { open }] of engines.entries()) {
      const { database, close } = await open()
      expect(await migrate(database, join(root, 'db/migration'))).toHaveLength(1)
      const tables = await readSchema(database)
      const before = facts[at]!.tables.filter(({ isView }) => isView !== true).map(
        ({ samples: _samples, domains: _domains, conditionalKeys: _conditional, ...table }) =>
          table,
      )
      expect(tables).toEqual(before)
      await close()
    }
  })
})

describe.runIf(isOwn)('the files', () => {
  const root = folder()
  let notes: readonly string[]
  beforeAll(() => {
    ;({ notes } = generate(root, 'reverse-scaffold-all'))
  })

  it('omit what is impossible, and the notes say why', () => {
    expect(notes).toEqual([
      'door_log has a model and no pages: it has no primary key.',
      'festival_sponsor has a model and no pages: its primary key has 2 columns.',
      'language has a model and no pages: it has no column that a form could change.',
      'payment has a model and no pages: its primary key has 2 columns.',
      'performance_guest has a model and no pages: its primary key has 2 columns.',
      'programme has a list and no pages of single rows: no column is known to identify them. If one does, write: fw g reverse-scaffold programme --key column',
      'takings has a list and no pages of single rows: no column is known to identify them. If one does, write: fw g reverse-scaffold takings --key column',
      'people.search is not in the model, because the database computes tsvector columns.',
      'player has no factory, and its tests insert no row: a row needs a row of team, which no test can insert first.',
      'team has no factory, and its tests insert no row: a row needs a row of player, which no test can insert first.',
      'Omitted, partitions: payment_2026, payment_later; their tables have all the rows.',
    ])
  })

  it.each([
    ['user', /email2: ParamType\.String,\n.*order: defaulted\(ParamType\.Short\)/],
    ['user', /displayName: 'displayName',\n\s+email2: 'email_2',\n\s+theFormat: 'format',/],
    ['line-item', /model\(\n {2}'LineItems',[^]*primaryKey: 'lineItemId',[^]*'Unit Price'/],
    ['audit-login', /model\('audit\.logins', \{\n {2}id: ParamType\.Long,/],
    ['order-item', /model\('"order\.items"', \{/],
    ['person', /id: defaulted|id: ParamType\.Uuid,/],
    ['person', /nicknames: ParamType\.optional\(ParamType\.array\(ParamType\.String\)\)/],
    ['person', /settings: defaulted\(json<unknown>\(\)\)/],
    [
      'open-festival',
      /model\(\n {2}'open_festival',\n[^]*slug: ParamType\.String,[^]*\{ primaryKey: 'slug', readOnly: true \}/,
    ],
    [
      'rock-artist',
      /id: ParamType\.Int,\n {4}name: ParamType\.String,[^]*founded: ParamType\.optional/,
    ],
    ['old-rock', /primaryKey: 'no', readOnly: true, columnNames: \{ stageName: 'Stage Name' \}/],
    ['sponsor-total', /primaryKey: 'sponsorId', readOnly: true/],
    ['programme', /entrance: ParamType\.optional\(ParamType\.String\)[^]*\{ readOnly: true \}/],
    ['taking', /paidOn: [^]*amount: ParamType\.optional\(ParamType\.BigDecimal\)/],
    ['stage-detail', /area: ParamType\.optional\(ParamType\.BigDecimal\)/],
    ['performance-guest', /performanceId: ParamType\.Int,\n {2}personId: ParamType\.Uuid,\n\}\)/],
  ])('the model %s has %s', (name, wanted) => {
    expect(text(root, `src/main/model/${name}.ts`)).toMatch(wanted)
  })

  it.each([
    ['performance', "performanceSupportArtist = belongsTo(Performance, 'supportArtistId', Artist)"],
    ['performance', 'performancePeople = hasManyThrough(\n  Performance,\n  PerformanceGuest,'],
    ['artist', "artistPerformances = hasMany(Artist, Performance, 'artistId')"],
    ['artist', 'artistPerformancesBySupportArtist = hasMany('],
    ['staff', "staffManager = belongsTo(Staff, 'managerId', Staff)"],
    ['stage', "stageStageDetail = hasOne(Stage, StageDetail, 'stageId')"],
    ['order-items-note', "orderItemsNoteItem = belongsTo(OrderItemsNote, 'itemId', OrderItem)"],
    ['user', "userAuditLogins = hasMany(User, AuditLogin, 'userId')"],
  ])('%s has the relation %s', (name, wanted) => {
    expect(text(root, `src/main/model/${name}-relations.ts`)).toContain(wanted)
  })

  it.each([
    ['artists', `paramKey('style').is(required, oneOf('rock', 'folk', "drum'n'bass", 'other'))`],
    ['artists', "withDefaults({ style: 'other', fee: '100.00' })"],
    ['festivals', 'withDefaults({ isOpen: true, hasCamping: false })'],
    ['festivals', "paramKey('slug').is(required, maxLength(40)),\n      ...rules,"],
    ['people', ".withLines('nicknames')"],
    ['festivals', 'mainLanguage: ParamType.optional(ParamType.String),'],
    ['people', "paramKey('mail').is(maxLength(120))"],
    ['stage-details', 'numeric(5, 2)'],
    ['reviews', "paramKey('stars').is(required, numeric, intMinMaxValue(1, 5))"],
    ['artists', "paramKey('founded').is(numeric, intMinMaxValue(1850, 2150))"],
    ['ticket-types', "paramKey('price').is(required, numeric(6, 2), doubleMinValue(0.01))"],
  ])('the controller of %s contains %s', (name, wanted) => {
    expect(text(root, `src/main/controller/${name}-controller.ts`)).toContain(wanted)
  })

  it.each([
    ['stage-details', 'area'],
    ['festivals', 'lastUpdate'],
    ['people', 'photo'],
    ['users', 'createdAt'],
    ['tickets', 'boughtAt'],
  ])('no form of %s contains %s, which the database fills', (name, column) => {
    expect(text(root, `src/main/controller/${name}-controller.ts`)).not.toContain(column)
  })

  it.each([
    ['people', 'mail', 'new@example.org'],
    ['artist', 'phone', '+0000'],
    ['artist', 'founded', '1850'],
    ['festival', 'slug', 'something'],
    ['festival', 'ends_on', '2001-02-03'],
    ['venue', 'capacity', '50'],
    ['review', 'stars', '1'],
    ['country', 'code', 'So'],
  ])('the sample of %s.%s is %s, which its type and its checks accept', (table, column, sample) => {
    const { samples } = facts[0]!.tables.find(({ name }) => name === table)!
    expect(samples.get(column)).toBe(sample)
  })

  it('have distinct values for a unique expression of a column whose name is no word', () => {
    const { conditionalKeys } = facts[0]!.tables.find(({ name }) => name === 'LineItems')!
    expect(conditionalKeys).toEqual([['Kind (a+']])
    expect(text(root, 'src/test/factory/line-item.ts')).toMatch(/kindA: `.*\$\{count\}`/)
  })

  it('are linked from the front page, unless the page was changed', () => {
    const page = 'src/main/webapp/WEB-INF/views/root/index.html.ssp'
    expect(text(root, page)).toContain(
      '<a href="${s.url(routes.staffList.indexUrl)}">${s.i18n.get(\'staff.view.list\')}</a>',
    )
    const other = folder()
    change(other, page, '<h1>', '<h1 class="own">')
    generate(other, 'reverse-scaffold-all')
    expect(text(other, page)).not.toContain('staffList')
  })

  it('are removed completely, except the baseline', () => {
    const fresh = folder()
    const before = contents(fresh)
    generate(fresh, 'reverse-scaffold-all')
    destroy(fresh, 'reverse-scaffold-all')
    const left = contents(fresh)
    delete left['db/migration/B20260102030405__existing_database.sql']
    // The object was broken into lines when its line became too long.
    const gathered = 'src/main/controller/controllers.ts'
    left[gathered] = left[gathered]!.replace('{\n  root,\n}', '{ root }')
    expect(left).toEqual(before)
  })
})

describe.runIf(isOwn)('one table', () => {
  it('gets the models that its rows need, and a baseline if there is none', () => {
    const root = folder()
    const { notes, outcomes } = generate(root, 'reverse-scaffold stage')
    expect(notes).toEqual([
      'venue, country also got models, because rows of the chosen tables need them.',
    ])
    expect(outcomes.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['src/main/model/venue.ts', 'src/test/factory/country.ts']),
    )
    expect(Object.keys(contents(root))).not.toContain('src/main/controller/venues-controller.ts')
    expect(text(root, 'src/main/webapp/WEB-INF/views/stages/show.html.ssp')).not.toContain('venues')
    const again = generate(root, 'reverse-scaffold venue').outcomes
    expect(again.filter(({ path }) => path.startsWith('db/'))).toEqual([])
    const removed = destroy(root, 'reverse-scaffold stage').filter(({ done }) => done === 'removed')
    expect(removed.map(({ path }) => path)).not.toContain('src/main/model/venue.ts')
  })

  it('takes names from the command line, and keeps them', () => {
    const root = folder()
    generate(root, 'reverse-scaffold people members member')
    expect(text(root, 'src/main/model/member.ts')).toMatch(/Member = model\('people', \{/)
    expect(text(root, 'src/main/controller/members-controller.ts')).toContain('MembersController')
    generate(root, 'reverse-model artist')
    expect(text(root, 'src/main/model/artist-relations.ts')).toContain(
      "artistPerson = belongsTo(Artist, 'personId', Member)",
    )
    generate(root, 'reverse-model staff employee')
    expect(text(root, 'src/main/model/employee.ts')).toContain("'staff',")
  })

  it('can be a parent and the target of references with any type of key', () => {
    const root = folder()
    generate(root, 'reverse-scaffold people country')
    const plan = (line: string, parent?: string) => {
      const [type = '', ...words] = line.split(' ')
      const options = parent === undefined ? {} : { parent }
      const { files } = findGenerator(type).plan(openProject(root), words, options)
      return files.map((draft) => draft.text).join('\n')
    }
    const inside = plan('scaffold letters letter subject:String', 'people')
    expect(inside).toContain('person_id uuid not null references people (id),')
    expect(inside).toContain('personId: ParamType.Uuid,')
    expect(inside).toContain('/^\\/people\\/[\\da-f-]{36}\\/letters\\/\\d+$/')
    const cities = plan('api-resource cities city name:String', 'countries')
    expect(cities).toContain('references country (code),')
    expect(cities).toContain('`/countries/${encodeURIComponent(countryId)}/cities`')
    const pointing = plan('model letter person:references')
    expect(pointing).toContain('person_id uuid not null references people (id),')
    generate(root, 'reverse-model "order.items"')
    expect(plan('model remark order_item:references')).toContain('references "order.items" (id),')
  })

  it('may be a view, with the key that the command names', () => {
    const root = folder()
    const at = site(root, 0)
    const { plan } = findGenerator('reverse-scaffold')
    const { files } = plan(at, ['programme'], { key: 'performance_id' })
    const written = new Map(files.map((draft) => [draft.path, draft.text]))
    expect(written.get('src/main/model/programme.ts')).toContain("primaryKey: 'performanceId'")
    const views = 'src/main/webapp/WEB-INF/views/programmes'
    expect([...written.keys()].filter((path) => path.startsWith(views))).toEqual([
      `${views}/index.html.ssp`,
      `${views}/show.html.ssp`,
    ])
    for (const [words, key, message] of [
      [['programme'], 'id', "programme has no column 'id'. Its columns are: performance_id,"],
      [['artist'], 'name', '--key is for one view, not for tables.'],
      [['programme', 'takings'], 'paid_on', '--key is for one view, not for tables.'],
    ] as const)
      expect(() => plan(at, words, { key })).toThrow(message)
    expect(() => findGenerator('reverse-model').plan(at, ['programme'], { key: 'id' })).toThrow(
      '--key is for reverse-scaffold, not for reverse-model.',
    )
  })

  it('has a note if no migration creates it', () => {
    const others = {
      ...site('', 0),
      list: (path: string) => (path === 'db/migration' ? ['V1__a.sql'] : []),
      read: () => 'create table a ()',
    }
    const { notes, files } = findGenerator('reverse-model').plan(others, ['sponsor'])
    expect(notes).toEqual([expect.stringMatching(/^No migration mentions sponsor, /)])
    expect(files.some(({ path }) => path.startsWith('db/'))).toBe(false)
  })

  it('with only a model does not edit the controllers', () => {
    const controllers = { ...site('', 0), read: () => 'export const controllers = {}\n' }
    const { files } = findGenerator('reverse-model').plan(controllers, ['sponsor'])
    expect(files.filter(({ kind }) => kind === 'edit')).toEqual([])
  })

  it('may be a join table with further keys, and have keys of any name', () => {
    const tableOf = (name: string) => facts[0]!.tables.find((each) => each.name === name)!
    const sponsor = tableOf('sponsor')
    const key = tableOf('performance').columns.find(({ name }) => name === 'stage_id')!
    const pointing = (keys: Readonly<Record<string, string>>) => ({
      columns: [...sponsor.columns, ...Object.keys(keys).map((name) => ({ ...key, name }))],
      foreignKeys: Object.entries(keys).map(([column, table]) => ({
        columns: [column],
        table,
        references: ['id'],
      })),
    })
    const cast = pointing({ film_id: 'film', part_id: 'part', actor_id: 'actor' })
    const tables = [
      ...['film', 'part', 'actor'].map((name) => ({ ...sponsor, name })),
      { ...sponsor, ...cast, name: 'film_cast', primaryKey: ['film_id', 'actor_id'] },
      {
        ...sponsor,
        ...pointing({ _parent_id: 'film', '1st_author_id': 'actor', owner_: 'actor' }),
        name: 'odd',
      },
    ]
    const root = folder()
    const plan = findGenerator('reverse-scaffold-all').plan(
      openProject(root, { tables, others: [], structure: '' }),
      [],
    )
    writeFiles(root, plan.files)
    const relations = (name: string) => text(root, `src/main/model/${name}-relations.ts`)
    expect(relations('film')).toContain('filmActors = hasManyThrough(')
    expect(relations('actor')).toContain('actorFilms = hasManyThrough(')
    expect(relations('part')).not.toContain('hasManyThrough')
    for (const wanted of [
      "oddParent = belongsTo(Odd, 'parentId', Film)",
      'oddThe1stAuthor = belongsTo(',
      "oddOwner = belongsTo(Odd, 'owner', Actor)",
    ])
      expect(relations('odd')).toContain(wanted)
  })

  it('may have names, labels and defaults that look like code or a placeholder', () => {
    const sponsor = facts[0]!.tables.find(({ name }) => name === 'sponsor')!
    const odd = openProject(folder(), {
      tables: [{ ...sponsor, name: "odd */ it's {{it}}" }],
      others: [],
      structure: "create table a (b text default 'Dear {{name}},');\n  {{own}}\n",
    })
    const { files } = findGenerator('reverse-model-all').plan(odd, [])
    const textOf = (path: RegExp) => files.find((draft) => path.test(draft.path))!.text
    expect(textOf(/^db/)).toContain("default 'Dear {{name}},');\n  {{own}}\n")
    const { errors, comments } = parseSync('a.ts', textOf(/^src\/main\/model/))
    expect(errors).toEqual([])
    expect(comments[0]!.value).toContain("the table odd * / it's {{it}}")
  })

  it.each([
    ['reverse-scaffold', 'generate.arguments-invalid', /fw g reverse-scaffold members/],
    ['reverse-scaffold-all artist', 'generate.arguments-invalid', /fw g reverse-scaffold-all$/],
    ['reverse-scaffold persons', 'generate.table-unknown', /no table 'persons'/],
    ['reverse-scaffold artists', 'generate.table-unknown', /Did you mean artist\?/],
    ['reverse-scaffold artist stge', 'generate.table-unknown', /Did you mean stage\?/],
    ['reverse-model artist new', 'generate.name-invalid', /uses that word/],
  ])('%s: %s', (line, code, message) => {
    expect(() => generate(folder(), line)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    )
  })

  it('is refused if the database is empty', () => {
    const empty = openProject(folder(), { tables: [], others: [], structure: '' })
    expect(() => findGenerator('reverse-model-all').plan(empty, [])).toThrow(
      expect.objectContaining({ code: 'generate.table-unknown' }),
    )
  })

  it('is read from the database of the application', async () => {
    const { settings } = opened.at(-1)!
    if (settings.kind !== 'postgres') return
    const root = folder()
    const place = { cwd: root, env: { DATABASE_URL: settings.url } }
    const { code, said } = await fw(place, 'g', 'reverse-model', 'sponsor')
    expect(said).toMatch(/^created +src\/main\/model\/sponsor\.ts$/m)
    expect(code).toBe(0)
  }, 60_000)
})

it.each([
  ['order_item', 'order_items'],
  ['category', 'categories'],
  ['box', 'boxes'],
  ['address', 'addresses'],
  ['person', 'people'],
  ['status', 'statuses'],
  ['day', 'days'],
  ['database', 'databases'],
  ['movie', 'movies'],
  ['staff', 'staff'],
])('the plural of %s is %s', (one, many) => {
  expect(pluralize(one)).toBe(many)
  expect(singularize(many)).toBe(one)
  expect(singularize(one)).toBe(one)
})
