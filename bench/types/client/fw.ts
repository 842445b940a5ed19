/** The controllers of the benchmark, and the calls of the client by type import. */

/** Ten actions: lists, single rows, forms, errors with a status and described responses. */
export const controller = (
  n: number,
): string => `import { Created, FwApiController, JsonParamsFeature, mix, NoContent, NotFound, paramKey, ParamType, required, routes } from '../../../../src/index.ts'
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
export const calls = (n: number): string => `
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

/** The object that a client reads the types of. */
export const application = (names: readonly string[]): string =>
  `export const controllers = { ${names.join(', ')} }`

export const client = `import { createClient } from '../../../../src/client.ts'
import type { controllers } from './application.ts'
export const api = createClient<typeof controllers>()
`
