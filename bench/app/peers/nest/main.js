/** NestJS on Fastify with TypeORM, class-validator, @fastify/session, @fastify/csrf-protection, helmet and Handlebars. */
// oxlint-disable-next-line import/no-unassigned-import -- Nest requires it
import 'reflect-metadata'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import cookie from '@fastify/cookie'
import csrf from '@fastify/csrf-protection'
import helmet from '@fastify/helmet'
import session from '@fastify/session'
import view from '@fastify/view'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import handlebars from 'handlebars'
import { DataSource } from 'typeorm'
import { announce } from '../listen.js'
import { PgSessionStore } from '../pg-session-store.js'
import { formatDate } from '../shared.js'
import { ApplicationModule } from './application.js'

const app = await NestFactory.create(ApplicationModule, new FastifyAdapter(), {
  logger: false,
})
const fastify = app.getHttpAdapter().getInstance()

const views = join(import.meta.dirname, 'views')
handlebars.registerHelper('formatDate', formatDate)
for (const file of readdirSync(join(views, 'partials')))
  handlebars.registerPartial(
    file.replace('.hbs', ''),
    readFileSync(join(views, 'partials', file), 'utf8'),
  )
await fastify.register(helmet)
await fastify.register(cookie)
await fastify.register(session, {
  secret: process.env.APP_KEY,
  // The pool of TypeORM, so that the application has one.
  store: new PgSessionStore(app.get(DataSource).driver.master),
  // Other paths, such as those of the API, read no session.
  cookie: { path: '/members', secure: false, sameSite: 'lax' },
  saveUninitialized: false,
  rolling: false,
})
await fastify.register(csrf, { sessionPlugin: '@fastify/session' })
await fastify.register(view, {
  engine: { handlebars },
  root: views,
  layout: 'layout.hbs',
  viewExt: 'hbs',
  production: true,
})
await app.listen(0, '127.0.0.1')
announce(app.getHttpServer().address().port)
