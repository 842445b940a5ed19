/** Fastify 5, its JSON answer with a schema. */
import { fastifyApp, listenFastify } from '../fastify-app.ts'

export const serve = async (): Promise<number> => listenFastify(await fastifyApp())
