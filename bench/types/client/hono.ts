/** The same routes and calls with Hono and its client `hc`, as its documentation recommends for large applications. */

/** Ten routes: lists, single rows, bodies, errors with a status. */
export const controller = (n: number): string => `import { Hono } from 'hono'
import { validator } from 'hono/validator'
interface Row${n} { readonly id: number; readonly name: string; readonly at: Date; readonly tags: readonly string[]; readonly n${n}?: number }
declare const rows: Row${n}[]
const fields = (body: { name?: unknown; n${n}?: unknown }): { name: string; n${n}?: number } => ({ name: String(body.name), n${n}: Number(body.n${n}) })
export const c${n} = new Hono()
  .get('/c${n}', (c) => c.json({ rows, total: rows.length }))
  .get('/c${n}/:id', (c) => rows[0] === undefined ? c.json({ reason: 'gone' }, 404) : c.json(rows[0], 200))
  .post('/c${n}', validator('json', fields), (c) => {
    const form = c.req.valid('json')
    return form.name === '' ? c.json({ name: ['name is required'] }, 400) : c.json(rows[0]!, 201)
  })
  .patch('/c${n}/:id', validator('json', fields), (c) => c.json({ ...c.req.valid('json') }))
  .delete('/c${n}/:id', (c) => c.body(null, 204))
  .get('/c${n}/search/:text', async (c) => c.json(rows.filter(({ name }) => name !== '')))
  .get('/c${n}/:kind/counts', (c) => c.json(Object.fromEntries([['a', ${n}]])))
  .get('/c${n}/:a/:b/both', (c) => c.json(rows.map((row) => ({ row, more: { at: row.at, deep: [row.tags] } }))))
  .get('/c${n}/text', (c) => c.text('text'))
  .get('/c${n}/stats/:year', (c) => c.json({ name: 'x', n${n}: 1 }))
`

/** Reads a member of each result, so that the compiler resolves its type. */
export const calls = (n: number): string => `
export async function calls${n}(): Promise<unknown> {
  const a = await api.c${n}.$get()
  const b = await api.c${n}[':id'].$get({ param: { id: '1' } })
  const c = await api.c${n}.$post({ json: { name: 'x' } })
  const d = await api.c${n}[':id'].$patch({ param: { id: '1' }, json: { name: 'x' } })
  const e = await api.c${n}[':id'].$delete({ param: { id: '1' } })
  const f = await api.c${n}.search[':text'].$get({ param: { text: 'x' } })
  const g = await api.c${n}[':kind'].counts.$get({ param: { kind: 'x' } })
  const h = await api.c${n}[':a'][':b'].both.$get({ param: { a: '1', b: '2' } })
  const i = await api.c${n}.text.$get()
  const j = await api.c${n}.stats[':year'].$get({ param: { year: '1' } })
  return [
    (await a.json()).rows[0]?.at.slice(0),
    b.ok ? (await b.json()).tags.length : (await b.json()).reason,
    c.ok ? (await c.json()).id : c.status,
    (await d.json()).name.length,
    e.status,
    (await f.json())[0]?.name.length,
    (await g.json())['a'],
    (await h.json())[0]?.more.deep[0]?.length,
    (await i.text()).length,
    (await j.json()).name.length,
  ]
}
`

/** The application that a client reads the types of. */
export const application = (names: readonly string[]): string =>
  `import { Hono } from 'hono'
export const app = new Hono()${names.map((name) => `.route('/', ${name})`).join('')}`

export const client = `import { hc } from 'hono/client'
import type { app } from './application.ts'
export const api = hc<typeof app>('http://localhost')
`
