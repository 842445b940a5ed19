/** What the reverse generators write: models, and resources over them, of tables that are there. */
import { didYouMean, FwError } from '../base.ts'
import type { DatabaseFacts } from './database-facts.ts'
import type { Draft, Plan, Site } from './draft.ts'
import { addMessages, removeMessages } from './edit-messages.ts'
import { fillTemplate } from './fill-template.ts'
import { listedFrontPage, plainFrontPage } from './front-page.ts'
import { nextVersion } from './migration-draft.ts'
import { mounted, unmounted } from './mounting.ts'
import { resourceControllerDraft } from './resource-controller-draft.ts'
import { resourceMessages } from './resource-messages.ts'
import { readResourceNames, type ResourceNames } from './resource-names.ts'
import { messagesDraft } from './resource-plan.ts'
import { pageTestDraft, resourceTestDrafts } from './resource-test-drafts.ts'
import { parentFactories, reverseModelDrafts } from './reverse-model-drafts.ts'
import { reverseNotes } from './reverse-notes.ts'
import { modelledWith, reverseTables, type ReverseTable } from './reverse-tables.ts'
import { viewDrafts } from './view-drafts.ts'

/** Models alone, or pages too. */
export type ReverseKind = 'model' | 'scaffold'

/** What the words choose: tables, and names for one of them. */
interface Choice {
  readonly tables: readonly string[]
  readonly names?: ResourceNames
}

function facts({ database }: Site): DatabaseFacts {
  if (database === undefined) throw new Error('A reverse generator was not given its database.')
  if (database.tables.length > 0) return database
  throw new FwError(
    'generate.table-unknown',
    'The database has no tables. DATABASE_URL or db.default.url in application.yml says which one it is.',
  )
}

function unknown(table: string, tables: readonly string[]): FwError {
  const meant = didYouMean(table, tables)
  const hint = meant === undefined ? `It has: ${tables.join(', ')}.` : `Did you mean ${meant}?`
  return new FwError('generate.table-unknown', `The database has no table '${table}'. ${hint}`)
}

/** Tables; or one table, then names as `scaffold` takes them. @throws FwError `generate.table-unknown`, `generate.arguments-invalid`, `generate.name-invalid` */
export function readTables(
  site: Site,
  words: readonly string[],
  kind: ReverseKind,
  usage: string,
): Choice {
  const tables = facts(site).tables.map(({ name }) => name)
  const [first, ...rest] = words
  if (first === undefined) throw new FwError('generate.arguments-invalid', usage)
  if (!tables.includes(first)) throw unknown(first, tables)
  const strange = rest.find((word) => !tables.includes(word))
  if (strange === undefined) return { tables: words }
  const isNaming = kind === 'model' ? rest.length === 1 : rest.length === 2
  if (!isNaming) throw unknown(strange, tables)
  const [many, one] = kind === 'model' ? [`${strange}_list`, strange] : rest
  return { tables: [first], names: readResourceNames([many!, one!], usage) }
}

/** Every table. @throws FwError `generate.table-unknown`, `generate.arguments-invalid` where one is named */
export function allTables(site: Site, words: readonly string[], usage: string): Choice {
  if (words.length > 0) throw new FwError('generate.arguments-invalid', usage)
  return { tables: facts(site).tables.map(({ name }) => name) }
}

/** Sees what earlier drafts of the same plan would have written. */
class Desk implements Site {
  readonly now: Date
  readonly #site: Site
  readonly #drafts = new Map<string, Draft>()

  constructor(site: Site) {
    this.#site = site
    this.now = site.now
  }

  read(path: string): string | undefined {
    return this.#drafts.get(path)?.text ?? this.#site.read(path)
  }

  list(folder: string): readonly string[] {
    return this.#site.list(folder)
  }

  /** A later draft of a file stands for an earlier one. */
  put(drafts: readonly Draft[]): void {
    for (const draft of drafts) this.#drafts.set(draft.path, draft)
  }

  get drafts(): readonly Draft[] {
    return [...this.#drafts.values()]
  }
}

function pageDrafts({ names, fields, key, unsampled, ...own }: ReverseTable): readonly Draft[] {
  const parents = parentFactories({ names, fields, key, ...own })
  const tested = { names, fields, key: key!, parents }
  return [
    resourceControllerDraft(names, fields, 'pages'),
    ...viewDrafts(names, fields, key),
    ...(unsampled === undefined ? resourceTestDrafts(tested, 'pages') : [pageTestDraft(tested)]),
  ]
}

const migrations = 'db/migration'

/** Only an application without migrations gets one: where there are some, they made the tables. */
function baseline(site: Site, { structure }: DatabaseFacts): readonly Draft[] {
  if (site.list(migrations).some((file) => /^[VB]\d+__/.test(file))) return []
  const path = `${migrations}/B${nextVersion(site)}__existing_database.sql`
  const text = fillTemplate('small/baseline.sql', { structure: structure.trimEnd() })
  // The setting ends with the migration's transaction.
  return [{ path, text: text.replace('\nset check', '\nset local check') }]
}

interface Parts {
  readonly chosen: readonly ReverseTable[]
  readonly paged: readonly ReverseTable[]
  readonly drafts: readonly Draft[]
  readonly notes: readonly string[]
}

function partsOf(site: Site, { tables: chosen, names }: Choice, kind: ReverseKind): Parts {
  const database = facts(site)
  const found = reverseTables(site, database, {
    paged: new Set(kind === 'scaffold' ? chosen : []),
    ...(names === undefined ? {} : { names: new Map([[chosen[0]!, names]]) }),
  })
  const { written, known } = modelledWith(site, found, chosen)
  const own = chosen.map((name) => found.get(name)!)
  const paged = kind === 'scaffold' ? own.filter(({ pageless }) => pageless === undefined) : []
  const models = written.flatMap((name) => reverseModelDrafts(found.get(name)!, found, known))
  return {
    chosen: own,
    paged,
    drafts: [...models, ...paged.flatMap(pageDrafts)],
    notes: reverseNotes(site, database, found, { chosen, written, kind }),
  }
}

const namesOf = (tables: readonly ReverseTable[]): readonly ResourceNames[] =>
  tables.map(({ names }) => names)

const isWhole = (site: Site, { tables }: Choice): boolean =>
  tables.length === facts(site).tables.length

/** Takes the tables' controllers and texts up, or away again. @returns what is left to do by hand */
function editEach(
  desk: Desk,
  tables: readonly ReverseTable[],
  mounting: typeof mounted,
  editTexts: typeof addMessages,
): readonly string[] {
  return tables.flatMap(({ names, fields }) => {
    const edits = mounting(desk, names.resources)
    desk.put(edits.drafts)
    const texts = resourceMessages(names, fields)
    desk.put([messagesDraft(desk, (text) => editTexts(text, names.resource.camel, texts))])
    return edits.notes
  })
}

/** Files of the tables chosen, and the models of tables that a row of them needs. */
export function reversePlan(site: Site, choice: Choice, kind: ReverseKind): Plan {
  const { paged, drafts, notes } = partsOf(site, choice, kind)
  const desk = new Desk(site)
  desk.put([...baseline(site, facts(site)), ...drafts])
  const byHand = editEach(desk, paged, mounted, addMessages)
  if (isWhole(site, choice) && paged.length > 0) desk.put(listedFrontPage(site, namesOf(paged)))
  return { drafts: desk.drafts, notes: [...byHand, ...notes] }
}

/** What takes it away again; models that only other tables needed, and the baseline, stay. */
export function reverseRemoval(site: Site, choice: Choice, kind: ReverseKind): Plan {
  const { chosen, paged, drafts } = partsOf(site, choice, kind)
  const desk = new Desk(site)
  const byHand = editEach(desk, paged, unmounted, removeMessages)
  if (isWhole(site, choice)) desk.put(plainFrontPage(site, namesOf(paged)))
  const files = chosen.map(({ names }) => names.resource.file)
  const isOwn = ({ path }: Draft): boolean =>
    !/^src\/(?:main\/model|test\/factory)\//.test(path) ||
    files.some((file) => new RegExp(`/${file}(?:-relations)?\\.ts$`).test(path))
  return { drafts: [...desk.drafts, ...drafts.filter(isOwn)], notes: byHand }
}
