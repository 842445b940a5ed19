/** The values of `node:http`, loaded without its Fetch classes. */
import type * as Http from 'node:http'

// A static import reads every property of the module, among them `WebSocket`, whose getter loads undici. That takes
// 25 ms, an eighth of the start of an application.
const http = process.getBuiltinModule('node:http')

export const { createServer } = http
export const { IncomingMessage, ServerResponse } = http
export type IncomingMessage = Http.IncomingMessage
export type ServerResponse = Http.ServerResponse
