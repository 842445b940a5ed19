/** Body parsing and responses for frameworks that have none: the same as in the baseline. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import { readBody } from './read-body.ts'
import { formFields } from './scenarios.ts'

const text = 'text/plain; charset=utf-8'
const json = 'application/json; charset=utf-8'

/** Returns the functions that send a response, each with `further` headers: names and values in alternation. */
export function byHand(further: readonly string[] = []) {
  function send(outgoing: ServerResponse, body: string, type: string): void {
    const length = `${Buffer.byteLength(body)}`
    outgoing.writeHead(200, ['Content-Type', type, ...further, 'Content-Length', length])
    outgoing.end(body)
  }
  const sendText = (outgoing: ServerResponse, body: string): void => send(outgoing, body, text)
  const sendJson = (outgoing: ServerResponse, value: unknown): void =>
    send(outgoing, JSON.stringify(value), json)
  const echoJson = (incoming: IncomingMessage, outgoing: ServerResponse): void =>
    readBody(incoming, (body) => sendJson(outgoing, JSON.parse(body)))
  const answerForm = (incoming: IncomingMessage, outgoing: ServerResponse): void =>
    readBody(incoming, (body) => {
      const fields = parse(body)
      sendText(outgoing, formFields.map((name) => fields[name]).join())
    })
  return { sendText, sendJson, echoJson, answerForm }
}
