/** Fastify 5 with @fastify/helmet and two hooks, which `FwController` includes. */
import helmet from '@fastify/helmet'
import { fastifyApp, listenFastify } from '../fastify-app.ts'

export async function serve(): Promise<number> {
  const app = await fastifyApp(async (bare) => {
    await bare.register(helmet)
    bare.decorateRequest('started', false)
    bare.addHook('preHandler', (request, _reply, done) => {
      Object.assign(request, { started: true })
      done()
    })
    bare.addHook('onSend', (request, reply, payload, done) => {
      Object.assign(request, { status: reply.statusCode })
      done(null, payload)
    })
  })
  return listenFastify(app)
}
