/** Koa 3 with @koa/router and @koa/bodyparser. */
import { createServer } from 'node:http'
import { bodyParser } from '@koa/bodyparser'
import Router from '@koa/router'
import Koa from 'koa'
import { formFields, greeting, others } from '../scenarios.ts'
import { listen } from '../subject.ts'

export function serve(): Promise<number> {
  const app = new Koa()
  const router = new Router()
  const body = bodyParser()
  router.get('/plaintext', (ctx) => {
    ctx.body = greeting
  })
  router.get('/json', (ctx) => {
    ctx.body = { message: greeting }
  })
  router.post('/json', body, (ctx) => {
    ctx.body = ctx.request.body
  })
  router.get('/users', (ctx) => {
    ctx.body = 'users'
  })
  router.get('/users/:id', (ctx) => {
    ctx.body = `${ctx.params['id']} ${String(ctx.query['q'])}`
  })
  router.post('/form', body, (ctx) => {
    const fields = ctx.request.body as Record<string, string>
    ctx.body = formFields.map((name) => fields[name]).join()
  })
  for (const path of others) {
    router.get(path, (ctx) => {
      ctx.body = path
    })
    router.get(`${path}/:id`, (ctx) => {
      ctx.body = ctx.params['id']
    })
    router.post(path, (ctx) => {
      ctx.body = path
    })
  }
  app.use(router.routes())
  return listen(createServer(app.callback()))
}
