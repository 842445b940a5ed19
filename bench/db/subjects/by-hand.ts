/** The baseline: a hand-written server with `node:http` and pipelined pg, which sends Fw's headers. */
import { createServer, type ServerResponse } from 'node:http'
import pg from 'pg'
import { securityHeaders } from '../../http/baseline.ts'
import { listen } from '../../http/subject.ts'
import { added, byMessage, randomId, randomIds } from '../tables.ts'

interface World {
  id: number
  randomNumber: number
}
interface Fortune {
  id: number
  message: string
}

const size = 10
const select = 'select id, random_number as "randomNumber" from world where id = $1'
const update = 'update world set random_number = $2 where id = $1'
const all = 'select id, message from fortune'

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escape = (text: string): string => text.replace(/[&<>"']/g, (found) => escapes[found]!)

function send(outgoing: ServerResponse, body: string, type: string): void {
  const length = String(Buffer.byteLength(body))
  outgoing.writeHead(200, ['Content-Type', type, ...securityHeaders, 'Content-Length', length])
  outgoing.end(body)
}

const sendJson = (outgoing: ServerResponse, value: unknown): void =>
  send(outgoing, JSON.stringify(value), 'application/json; charset=utf-8')

function page(fortunes: readonly Fortune[]): string {
  let body =
    '<!doctype html><html lang="en"><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>\n'
  for (const { id, message } of fortunes)
    body += `<tr><td>${id}</td><td>${escape(message)}</td></tr>\n`
  return `${body}</table></body></html>\n`
}

export async function serve(url: string): Promise<number> {
  const open = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url, pipeline: true })
    await client.connect()
    return client
  }
  const shared = await Promise.all(Array.from({ length: size / 2 }, open))
  const free = await Promise.all(Array.from({ length: size / 2 }, open))
  const waiting: ((client: pg.Client) => void)[] = []
  let next = 0
  const any = (): pg.Client => shared[(next = (next + 1) % shared.length)]!
  const take = (): pg.Client | Promise<pg.Client> =>
    free.pop() ?? new Promise<pg.Client>((resolve) => void waiting.push(resolve))
  const give = (client: pg.Client): void => {
    const waiter = waiting.shift()
    if (waiter) waiter(client)
    else free.push(client)
  }
  const world = async (client: pg.Client, id: number): Promise<World> =>
    (await client.query<World>({ name: 'world', text: select, values: [id] })).rows[0]!

  const updates = async (): Promise<World[]> => {
    const client = await take()
    try {
      void client.query('begin')
      const worlds = await Promise.all(randomIds(20).map((id) => world(client, id)))
      for (const one of worlds) one.randomNumber = randomId()
      await Promise.all(
        worlds.map(({ id, randomNumber }) =>
          client.query({ name: 'update', text: update, values: [id, randomNumber] }),
        ),
      )
      await client.query('commit')
      return worlds
    } finally {
      give(client)
    }
  }

  const routes: Readonly<Record<string, (outgoing: ServerResponse) => Promise<void>>> = {
    '/db': async (outgoing) => sendJson(outgoing, await world(any(), randomId())),
    '/queries': async (outgoing) => {
      const client = any()
      sendJson(outgoing, await Promise.all(randomIds(20).map((id) => world(client, id))))
    },
    '/updates': async (outgoing) => sendJson(outgoing, await updates()),
    '/fortunes': async (outgoing) => {
      const { rows } = await any().query<Fortune>({ name: 'fortunes', text: all })
      rows.push(added)
      send(outgoing, page(rows.sort(byMessage)), 'text/html; charset=utf-8')
    },
  }
  return listen(
    createServer((incoming, outgoing) => {
      const route = routes[incoming.url!]
      if (route) route(outgoing).catch((error: unknown) => outgoing.destroy(error as Error))
      else outgoing.writeHead(404).end()
    }),
  )
}
