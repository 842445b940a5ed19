/**
 * Measures the compiler's time for a typed client: a thousand calls of the routes of a hundred controllers, compared with
 * the controllers alone: `npm run bench -- types/client`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { check, median, report, type Cost } from '../check.ts'

const controllers = 100
const rounds = 3

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

/** Ten actions: lists, single rows, forms, errors with a status and described responses. */
const controller = (
  n: number,
) => `import { Created, FwApiController, JsonParamsFeature, mix, NoContent, NotFound, paramKey, ParamType, required, routes } from '../../../../src/index.ts'
interface Row${n} { readonly id: number; readonly name: string; readonly at: Date; readonly tags: readonly string[]; readonly n${n}?: bigint }
declare const rows: readonly Row${n}[]
const fields = { name: ParamType.String, n${n}: ParamType.optional(ParamType.Long) }
export class C${n} extends mix(FwApiController, JsonParamsFeature) {
  createForm() { return this.validation(this.params, fields, paramKey('name').is(required)) }
  index() { return { rows, total: rows.length } }
  show() { return rows[0] ?? NotFound({ reason: 'gone' }) }
  create() {
    const form = this.createForm()
    if (!form.validate()) return form.keyAndErrorMessages
    return Created(rows[0]!)
  }
  update() { return { ...this.params.permit(fields) } }
  destroy() { return NoContent() }
  async search() { return rows.filter(({ name }) => name !== '') }
  counts() { return new Map([['a', ${n}]]) }
  both() { return rows.map((row) => ({ row, more: { at: row.at, deep: [row.tags] } })) }
  text() { return 'text' }
  stats() { return JSON.parse('{}') }
}
export const c${n} = routes(C${n}, (r) => ({
  indexUrl: r.get('/c${n}/?', 'index'),
  showUrl: r.get('/c${n}/:id', 'show'),
  createUrl: r.post('/c${n}/?', 'create'),
  updateUrl: r.patch('/c${n}/:id', 'update'),
  destroyUrl: r.delete('/c${n}/:id', 'destroy'),
  searchUrl: r.get('/c${n}/search/:text', 'search'),
  countsUrl: r.get('/c${n}/:kind/counts', 'counts'),
  bothUrl: r.get('/c${n}/:a/:b/both', 'both'),
  textUrl: r.get('/c${n}/text', 'text'),
  statsUrl: r.get('/c${n}/stats(/:year)?', 'stats'),
})).describe({ routes: { stats: { responses: { 200: { body: fields } } } } })
`

/** Reads a member of each result, so that the compiler resolves its type. */
const calls = (n: number) => `
export async function calls${n}(): Promise<unknown> {
  const a = await api.get('/c${n}')
  const b = await api.get('/c${n}/:id', { path: { id: 1 } })
  const c = await api.post('/c${n}', { body: { name: 'x' } })
  const d = await api.patch('/c${n}/:id', { path: { id: 1 }, body: {} })
  const e = await api.delete('/c${n}/:id', { path: { id: 1 } })
  const f = await api.get('/c${n}/search/:text', { path: { text: 'x' } })
  const g = await api.get('/c${n}/:kind/counts', { path: { kind: 'x' } })
  const h = await api.get('/c${n}/:a/:b/both', { path: { a: 1, b: 2 } })
  const i = await api.get('/c${n}/text')
  const j = await api.get('/c${n}/stats(/:year)?', { path: { year: 1 } })
  return [
    a.ok ? a.body.rows[0]?.at.slice(0) : a.body.message,
    b.ok ? b.body.tags.length : b.status === 404 ? b.body.reason : b.body.title,
    c.ok ? c.body.id : c.status,
    d.ok ? d.body.name.length : d.body.message,
    e.ok ? e.body : e.body.message,
    f.ok ? f.body[0]?.name.length : f.body.message,
    g.ok ? g.body['a'] : g.body.message,
    h.ok ? h.body[0]?.more.deep[0]?.length : h.body.message,
    i.ok ? i.body.length : i.body.message,
    j.ok ? j.body.name.length : j.status,
  ]
}
`

/** The controllers, and a client with calls of the first of them. */
function measure(called: number | undefined): Cost {
  const folder = mkdtempSync(join(import.meta.dirname, 'run-'))
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  try {
    for (const n of numbers(controllers)) write(`c${n}.ts`, controller(n))
    const imports = numbers(controllers).map((n) => `import { c${n} } from './c${n}.ts'`)
    const names = numbers(controllers).map((n) => `c${n}`)
    write(
      'controllers.ts',
      `${imports.join('\n')}\nexport const controllers = { ${names.join(', ')} }\n`,
    )
    const client = `import { createClient } from '../../../../src/client.ts'
import type { controllers } from './controllers.ts'
export const api = createClient<typeof controllers>()
${numbers(called ?? 0)
  .map(calls)
  .join('')}`
    if (called !== undefined) write('client.ts', client)
    const tsconfig = { extends: '../../../../tsconfig.json', include: ['*.ts'] }
    write('tsconfig.json', JSON.stringify(tsconfig))
    const all = Array.from({ length: rounds }, () => check(folder))
    const { instantiations } = all[0]!
    return { seconds: median(all.map(({ seconds }) => seconds)), instantiations }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const alone = measure(undefined)
const client = measure(0)
const all = measure(controllers)
report(`${controllers} controllers with ${controllers * 10} routes`, alone)
report('with a client', client)
report(`with a client and ${controllers * 10} calls`, all)
report('the client and its calls alone', {
  seconds: all.seconds - alone.seconds,
  instantiations: all.instantiations - alone.instantiations,
})
