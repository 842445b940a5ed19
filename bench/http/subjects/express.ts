/** Express 5 without ETag and X-Powered-By. */
import { createServer } from 'node:http'
import express from 'express'
import { formFields, greeting, others } from '../scenarios.ts'
import { listen } from '../subject.ts'

export function serve(): Promise<number> {
  const app = express()
  app.disable('etag')
  app.disable('x-powered-by')
  app.get('/plaintext', (_request, response) => void response.type('txt').send(greeting))
  app.get('/json', (_request, response) => void response.json({ message: greeting }))
  app.post('/json', express.json(), (request, response) => void response.json(request.body))
  app.get('/users', (_request, response) => void response.send('users'))
  app.get('/users/:id', (request, response) => {
    response.type('txt').send(`${request.params.id} ${String(request.query['q'])}`)
  })
  app.post('/form', express.urlencoded({ extended: false }), (request, response) => {
    const fields = request.body as Record<string, string>
    response.type('txt').send(formFields.map((name) => fields[name]).join())
  })
  for (const path of others) {
    app.get(path, (_request, response) => void response.send(path))
    app.get(`${path}/:id`, (request, response) => void response.send(request.params['id']))
    app.post(path, (_request, response) => void response.send(path))
  }
  return listen(createServer(app))
}
