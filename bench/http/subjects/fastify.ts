/** Fastify 5, with a schema for the JSON response. */
import { fastifyApp, listenFastify } from '../fastify-app.ts'

export const serve = async (): Promise<number> => listenFastify(await fastifyApp())
