/** Exports members of `node:http` without loading its Fetch classes. */
import type * as Http from 'node:http'

// A static import would read every property of the module, among them `WebSocket`, whose getter loads undici. That takes
// 25 ms, an eighth of an application's start.
const http = process.getBuiltinModule('node:http')

export const { createServer } = http
export const { IncomingMessage, ServerResponse } = http
export type IncomingMessage = Http.IncomingMessage
export type ServerResponse = Http.ServerResponse
