/** The Fastify application, with or without plug-ins. */
import type { AddressInfo } from 'node:net'
import formbody from '@fastify/formbody'
import { fastify, type FastifyInstance } from 'fastify'
import { formFields, greeting, others } from './scenarios.ts'

interface User {
  Params: { id: string }
  Querystring: { q: string }
}

const message = {
  type: 'object',
  properties: { message: { type: 'string' } },
} as const

/** `extend` registers plug-ins before the routes. */
export async function fastifyApp(
  extend: (app: FastifyInstance) => Promise<void> = async () => {},
): Promise<FastifyInstance> {
  const app = fastify()
  await app.register(formbody)
  await extend(app)
  app.get('/plaintext', (_request, reply) => reply.send(greeting))
  app.get('/json', { schema: { response: { 200: message } } }, (_request, reply) =>
    reply.send({ message: greeting }),
  )
  app.post('/json', (request, reply) => reply.send(request.body))
  app.get('/users', (_request, reply) => reply.send('users'))
  app.get<User>('/users/:id', (request, reply) =>
    reply.send(`${request.params.id} ${request.query.q}`),
  )
  app.post<{ Body: Record<string, string> }>('/form', (request, reply) =>
    reply.send(formFields.map((name) => request.body[name]).join()),
  )
  for (const path of others) {
    app.get(path, (_request, reply) => reply.send(path))
    app.get<User>(`${path}/:id`, (request, reply) => reply.send(request.params.id))
    app.post(path, (_request, reply) => reply.send(path))
  }
  return app
}

/** Listens on a free port. */
export async function listenFastify(app: FastifyInstance): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}
