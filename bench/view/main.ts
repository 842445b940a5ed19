/** Rendering, compared with hand-written concatenation and seven engines, and a project of 500 templates: `npm run bench -- view [--write]`. */
import { environment } from './production.ts'
import { writeFileSync } from 'node:fs'
import { decode } from './decode.ts'
import { fortunesByHand, tableByHand } from './by-hand.ts'
import { fortunes, rows } from './data.ts'
import { measureProject } from './project.ts'
import { peers, type Pages } from './peers.ts'
import { ssp } from './templates.ts'
import { testProject } from '../../test/view/project.ts'
import { createViewEngine, type CompiledView } from '../../src/runtime/view.ts'
import { generateViews } from '../../src/templates/compile.ts'

const rounds = 25
const batch = { fortunes: 2000, table: 40 } as const
const pages = ['fortunes', 'table'] as const

let read = 0

/**
 * Microseconds of processor time per page. Reading one character forces V8 to flatten the string, which until then
 * is a tree of parts. Writing to a socket costs the same for all engines and is omitted.
 */
function microseconds(render: () => string, times: number): number {
  const start = process.cpuUsage()
  for (let at = 0; at < times; at++) read += render().charCodeAt(1000)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / times
}

async function ownPages(): Promise<Pages> {
  const project = testProject(ssp)
  try {
    generateViews(project)
    const engine = createViewEngine({ ...project, mode: 'production' })
    await engine.load()
    const view = (name: string): CompiledView => engine.find(name, 'html') as CompiledView
    const helper = { cspNonce: '' }
    const [first, second] = [view('/fortunes'), view('/table')]
    return {
      fortunes: () => first.render({ fortunes }, helper, {}) as string,
      table: () => second.render({ rows }, helper, {}) as string,
    }
  } finally {
    project.remove()
  }
}

const hand = 'by hand'
const own = 'fw .ssp'
const subjects: Readonly<Record<string, Pages>> = {
  [hand]: { fortunes: fortunesByHand, table: tableByHand },
  [own]: await ownPages(),
  ...peers,
}

for (const [name, subject] of Object.entries(subjects)) {
  for (const page of pages) {
    if (decode(subject[page]()) !== decode(subjects[hand]![page]()))
      throw new Error(`${name}: the page ${page} says something else`)
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1]!

// Each round runs every subject, so that changes of the machine's speed affect all equally.
const times = new Map(
  Object.keys(subjects).map(
    (name) =>
      [name, { fortunes: [], table: [] }] as [string, Record<'fortunes' | 'table', number[]>],
  ),
)
for (let round = 0; round < rounds; round++) {
  for (const [name, subject] of Object.entries(subjects)) {
    for (const page of pages) times.get(name)![page].push(microseconds(subject[page], batch[page]))
  }
}

/** The median ratio to the reference in the same round, so that noise affects both. */
const speed = (name: string, page: 'fortunes' | 'table', reference: string): number =>
  Number(
    median(
      times.get(reference)![page].map((time, at) => time / times.get(name)![page][at]!),
    ).toFixed(2),
  )

const rendering = Object.fromEntries(
  [...times].map(([name, measured]) => [
    name,
    Object.fromEntries(
      pages.map((page) => [
        page,
        {
          microseconds: Number(median(measured[page]).toFixed(1)),
          ofByHand: speed(name, page, hand),
        },
      ]),
    ),
  ]),
)
const result = {
  node: process.version,
  environment,
  what: `microseconds of processor time a page, median of ${rounds} rounds; ofByHand is the speed as a part of concatenation's`,
  rendering,
  timesFasterThanEta: Object.fromEntries(pages.map((page) => [page, speed(own, page, 'eta 4')])),
  project: await measureProject(),
}

if (Number.isNaN(read)) throw new Error('a page is too short')
console.log(JSON.stringify(result, undefined, 2))
if (process.argv.includes('--write')) {
  const file = new URL('../results/view.json', import.meta.url)
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`)
}
