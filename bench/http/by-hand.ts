/** Body parsing and responses for frameworks that have none: the same as in the baseline. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import { readBody } from './read-body.ts'
import { formFields } from './scenarios.ts'

const text = 'text/plain; charset=utf-8'
const json = 'application/json; charset=utf-8'

function send(outgoing: ServerResponse, body: string, type: string): void {
  outgoing.writeHead(200, ['Content-Type', type, 'Content-Length', `${Buffer.byteLength(body)}`])
  outgoing.end(body)
}

export const sendText = (outgoing: ServerResponse, body: string): void => send(outgoing, body, text)

export const sendJson = (outgoing: ServerResponse, value: unknown): void =>
  send(outgoing, JSON.stringify(value), json)

export const echoJson = (incoming: IncomingMessage, outgoing: ServerResponse): void =>
  readBody(incoming, (body) => sendJson(outgoing, JSON.parse(body)))

export const answerForm = (incoming: IncomingMessage, outgoing: ServerResponse): void =>
  readBody(incoming, (body) => {
    const fields = parse(body)
    sendText(outgoing, formFields.map((name) => fields[name]).join())
  })
