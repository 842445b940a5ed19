/** Hono 4 on @hono/node-server. */
import { serve as serveNode } from '@hono/node-server'
import { Hono } from 'hono'
import { formFields, greeting, others } from '../scenarios.ts'

const app = new Hono()
app.get('/plaintext', (c) => c.text(greeting))
app.get('/json', (c) => c.json({ message: greeting }))
app.post('/json', async (c) => c.json(await c.req.json()))
app.get('/users', (c) => c.text('users'))
app.get('/users/:id', (c) => c.text(`${c.req.param('id')} ${c.req.query('q')}`))
app.post('/form', async (c) => {
  const fields = await c.req.parseBody()
  return c.text(formFields.map((name) => fields[name]).join())
})
for (const path of others) {
  app.get(path, (c) => c.text(path))
  app.get(`${path}/:id`, (c) => c.text(c.req.param('id') ?? ''))
  app.post(path, (c) => c.text(path))
}

export function serve(): Promise<number> {
  return new Promise((resolve) => {
    serveNode({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (info) => resolve(info.port))
  })
}
