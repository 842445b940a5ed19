/** The 0http application, with its own router and further headers; body parsing as in the baseline. */
import type { Server } from 'node:http'
import zero from '0http'
import { byHand } from './by-hand.ts'
import { greeting, others } from './scenarios.ts'
import { listen } from './subject.ts'

export function serveZero(further?: readonly string[]): Promise<number> {
  const { answerForm, echoJson, sendJson, sendText } = byHand(further)
  const { router, server } = zero()
  // oxlint-disable-next-line typescript/no-explicit-any
  const get = (path: string, answer: (request: any) => string): void =>
    // oxlint-disable-next-line typescript/no-explicit-any
    router.get(path, (request: any, response: any) => sendText(response, answer(request)))
  get('/plaintext', () => greeting)
  // oxlint-disable-next-line typescript/no-explicit-any
  router.get('/json', (_request: any, response: any) => sendJson(response, { message: greeting }))
  router.post('/json', echoJson)
  get('/users', () => 'users')
  get('/users/:id', ({ params, query }) => `${params.id} ${query.q}`)
  router.post('/form', answerForm)
  for (const path of others) {
    get(path, () => path)
    get(`${path}/:id`, ({ params }) => params.id)
    // oxlint-disable-next-line typescript/no-explicit-any
    router.post(path, (_request: any, response: any) => sendText(response, path))
  }
  return listen(server as Server)
}
