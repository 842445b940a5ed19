/** Fastify with @fastify/session, @fastify/csrf-protection, @fastify/helmet, pg and Eta. */
import { join } from 'node:path'
import cookie from '@fastify/cookie'
import csrf from '@fastify/csrf-protection'
import formbody from '@fastify/formbody'
import helmet from '@fastify/helmet'
import session from '@fastify/session'
import view from '@fastify/view'
import { Eta } from 'eta'
import { fastify } from 'fastify'
import { announce } from '../listen.js'
import { PgSessionStore } from '../pg-session-store.js'
import { formatDate, listValues, Members, openPool, parseId, parsePage } from '../shared.js'

const pool = openPool()
const members = new Members(pool)
const app = fastify({ logger: false, ajv: { customOptions: { allErrors: true } } })
const eta = new Eta({ views: join(import.meta.dirname, 'views'), cache: true })

await app.register(helmet)
await app.register(view, {
  engine: { eta },
  templates: join(import.meta.dirname, 'views'),
  production: true,
  defaultContext: { formatDate },
})

app.setNotFoundHandler((request, reply) => {
  reply.code(404)
  if (request.url.startsWith('/api/')) return { error: 'Not found' }
  return reply.view('not-found', { title: 'Not found', notice: '' })
})
app.get('/hello', () => 'Hello, World!')

const idParams = { type: 'object', properties: { id: { type: 'integer', minimum: 1 } } }
const member = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    birthday: { type: 'string' },
    created_at: { type: 'string', format: 'date-time' },
    updated_at: { type: 'string', format: 'date-time' },
  },
}

await app.register(
  async (api) => {
    api.get(
      '/members',
      { schema: { response: { 200: { type: 'array', items: member } } } },
      async (request, reply) => {
        const { items, total } = await members.page(parsePage(request.query.page), request.query.q)
        reply.header('X-Total-Count', total)
        return items
      },
    )
    api.get(
      '/members/:id',
      { schema: { params: idParams, response: { 200: member } } },
      async (request, reply) => (await members.find(request.params.id)) ?? reply.callNotFound(),
    )
  },
  { prefix: '/api' },
)

await app.register(async (pages) => {
  await pages.register(formbody)
  await pages.register(cookie)
  await pages.register(session, {
    secret: process.env.APP_KEY,
    store: new PgSessionStore(pool),
    cookie: { secure: false, sameSite: 'lax' },
    saveUninitialized: false,
    rolling: false,
  })
  await pages.register(csrf, { sessionPlugin: '@fastify/session' })

  const takeNotice = ({ session }) => {
    const { notice } = session
    if (notice !== undefined) session.notice = undefined
    return notice ?? ''
  }
  const renderForm = (reply, values, errors) =>
    reply.view('form', {
      title: 'New member',
      notice: takeNotice(reply.request),
      csrfToken: reply.generateCsrf(),
      values,
      errors,
    })

  pages.get('/members', async (request, reply) => {
    const page = parsePage(request.query.page)
    const search = request.query.q ?? ''
    const values = listValues(await members.page(page, search), page, search)
    return reply.view('list', { ...values, notice: takeNotice(request) })
  })
  pages.get('/members/new', (_request, reply) => renderForm(reply, {}, {}))
  pages.get('/members/:id', async (request, reply) => {
    const id = parseId(request.params.id)
    const item = id === undefined ? undefined : await members.find(id)
    if (item === undefined) return reply.callNotFound()
    const notice = takeNotice(request)
    return reply.view('show', { title: item.name, item, notice, csrfToken: reply.generateCsrf() })
  })
  pages.post(
    '/members',
    {
      preHandler: pages.csrfProtection,
      attachValidation: true,
      schema: {
        body: {
          type: 'object',
          required: ['name', 'birthday'],
          properties: {
            name: { type: 'string', minLength: 1, maxLength: 512 },
            birthday: { type: 'string', format: 'date' },
          },
        },
      },
      schemaErrorFormatter: (errors) => Object.assign(new Error('invalid'), { errors }),
    },
    async (request, reply) => {
      const errors = messagesOf(request.validationError?.errors ?? [])
      if (request.validationError) return renderForm(reply.code(400), request.body, errors)
      const id = await members.create(request.body)
      request.session.notice = 'The member was created.'
      return reply.redirect(`/members/${id}`)
    },
  )
})

/** The messages of the schema's errors by field. */
function messagesOf(errors) {
  const messages = {}
  for (const { instancePath, keyword, params } of errors) {
    const field = keyword === 'required' ? params.missingProperty : instancePath.slice(1)
    messages[field] = field === 'birthday' ? 'Birthday must be a date value' : 'Name is required'
    if (keyword === 'maxLength') messages[field] = 'Name is longer than 512 characters'
  }
  return messages
}

await app.listen({ port: 0, host: '127.0.0.1' })
announce(app.server.address().port)
