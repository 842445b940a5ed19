/** The micro layer: ten micro filters in one `FwServer`. */
import { FwServer, microFilter } from 'fwjs'
import { formFields, greeting, others } from '../scenarios.ts'

const home = microFilter((r) => ({
  plaintext: r.get('/plaintext', () => greeting),
  json: r.get('/json', () => ({ message: greeting })),
  echo: r.post('/json', (c) => c.request.json()),
}))

const users = microFilter((r) => ({
  index: r.get('/users', () => 'users'),
  show: r.get('/users/:id', (c) => `${c.params.get('id')} ${c.params.get('q')}`),
  form: r.post('/form', (c) => formFields.map((name) => c.params.get(name)).join()),
}))

const area = (path: string) =>
  microFilter((r) => ({
    index: r.get(path, () => path),
    show: r.get(`${path}/:id`, (c) => c.params.get('id')),
    create: r.post(path, () => path),
  }))

export async function serve(): Promise<number> {
  const server = new FwServer({ root: import.meta.dirname, database: false })
  for (const one of [home, users, ...others.map(area)]) server.mount(one)
  return (await server.listen(0)).port
}
