/** A full framework: Fastify, @fastify/view with Eta, postgres.js. */
import view from '@fastify/view'
import { Eta } from 'eta'
import { fastify } from 'fastify'
import { writeFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { listenFastify } from '../../http/fastify-app.ts'
import { added, byMessage, randomId, randomIds } from '../tables.ts'

const template =
  '<!doctype html><html lang="en"><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>\n' +
  '<% for (const one of it.fortunes) { %><tr><td><%= one.id %></td><td><%= one.message %></td></tr>\n<% } %></table></body></html>\n'

interface World {
  id: number
  randomNumber: number
}

export async function serve(url: string): Promise<number> {
  const sql = postgres(url, { max: 10 })
  const folder = mkdtempSync(join(tmpdir(), 'fw-bench-'))
  writeFileSync(join(folder, 'fortunes.eta'), template)
  const eta = new Eta({ views: folder, cache: true })
  const app = fastify()
  await app.register(view, { engine: { eta }, root: folder, production: true })
  const world = async (from: postgres.Sql, id: number): Promise<World> =>
    (
      await from<World[]>`select id, random_number as "randomNumber" from world where id = ${id}`
    )[0]!
  app.get('/db', () => world(sql, randomId()))
  app.get('/queries', () => Promise.all(randomIds(20).map((id) => world(sql, id))))
  app.get('/updates', () =>
    sql.begin(async (own) => {
      const worlds = await Promise.all(randomIds(20).map((id) => world(own as never, id)))
      for (const one of worlds) one.randomNumber = randomId()
      await Promise.all(
        worlds.map(
          ({ id, randomNumber }) =>
            own`update world set random_number = ${randomNumber} where id = ${id}`,
        ),
      )
      return worlds
    }),
  )
  app.get('/fortunes', async (_request, reply) => {
    const fortunes = [
      ...(await sql<{ id: number; message: string }[]>`select id, message from fortune`),
      added,
    ]
    return reply.view('fortunes.eta', { fortunes: fortunes.sort(byMessage) })
  })
  return listenFastify(app)
}
