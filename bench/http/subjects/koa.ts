/** Koa 3 with @koa/router and @koa/bodyparser. */
import { createServer } from 'node:http'
import { bodyParser } from '@koa/bodyparser'
import Router from '@koa/router'
import Koa from 'koa'
import { formFields, greeting, others } from '../scenarios.ts'
import { listen } from '../subject.ts'

interface Context {
  body: unknown
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly request: { readonly body?: unknown }
}

export function serve(): Promise<number> {
  const app = new Koa()
  const router = new Router()
  const body = bodyParser()
  router.get('/plaintext', (ctx: Context) => {
    ctx.body = greeting
  })
  router.get('/json', (ctx: Context) => {
    ctx.body = { message: greeting }
  })
  router.post('/json', body, (ctx: Context) => {
    ctx.body = ctx.request.body
  })
  router.get('/users', (ctx: Context) => {
    ctx.body = 'users'
  })
  router.get('/users/:id', (ctx: Context) => {
    ctx.body = `${ctx.params['id']} ${String(ctx.query['q'])}`
  })
  router.post('/form', body, (ctx: Context) => {
    const fields = ctx.request.body as Record<string, string>
    ctx.body = formFields.map((name) => fields[name]).join()
  })
  for (const path of others) {
    router.get(path, (ctx: Context) => {
      ctx.body = path
    })
    router.get(`${path}/:id`, (ctx: Context) => {
      ctx.body = ctx.params['id']
    })
    router.post(path, (ctx: Context) => {
      ctx.body = path
    })
  }
  app.use(router.routes())
  return listen(createServer(app.callback()))
}
