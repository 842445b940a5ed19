/** H3 2 on Node. */
import { createServer } from 'node:http'
import { getQuery, getRouterParam, H3, readBody } from 'h3'
import { toNodeHandler } from 'h3/node'
import { formFields, greeting, others } from '../scenarios.ts'
import { listen } from '../subject.ts'

export function serve(): Promise<number> {
  const app = new H3()
  app.get('/plaintext', () => greeting)
  app.get('/json', () => ({ message: greeting }))
  app.post('/json', (event) => readBody(event))
  app.get('/users', () => 'users')
  app.get('/users/:id', (event) => `${getRouterParam(event, 'id')} ${String(getQuery(event)['q'])}`)
  app.post('/form', async (event) => {
    const fields = (await readBody<Record<string, string>>(event)) ?? {}
    return formFields.map((name) => fields[name]).join()
  })
  for (const path of others) {
    app.get(path, () => path)
    app.get(`${path}/:id`, (event) => getRouterParam(event, 'id'))
    app.post(path, () => path)
  }
  return listen(createServer(toNodeHandler(app)))
}
