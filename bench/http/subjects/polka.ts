/** Polka; body parsing as in the baseline. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import polka from 'polka'
import { byHand } from '../by-hand.ts'
import { greeting, others } from '../scenarios.ts'
import { listen } from '../subject.ts'

interface PolkaRequest extends IncomingMessage {
  readonly params: { readonly id: string }
  readonly query: { readonly q: string }
}

export function serve(): Promise<number> {
  const { answerForm, echoJson, sendJson, sendText } = byHand()
  const server = createServer()
  const app = polka({ server })
  const get = (path: string, answer: (request: PolkaRequest) => string): void =>
    app.get(path, (request: PolkaRequest, response: ServerResponse) =>
      sendText(response, answer(request)),
    )
  get('/plaintext', () => greeting)
  app.get('/json', (_request: PolkaRequest, response: ServerResponse) =>
    sendJson(response, { message: greeting }),
  )
  app.post('/json', echoJson)
  get('/users', () => 'users')
  get('/users/:id', ({ params, query }) => `${params.id} ${query.q}`)
  app.post('/form', answerForm)
  for (const path of others) {
    get(path, () => path)
    get(`${path}/:id`, ({ params }) => params.id)
    app.post(path, (_request: PolkaRequest, response: ServerResponse) => sendText(response, path))
  }
  server.on('request', app.handler)
  return listen(server)
}
