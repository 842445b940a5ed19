/** Answers what Node's parser refused, and closes. */
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { reasonPhrase } from '../http.ts'
import { plainResponse } from './container-error.ts'

const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** A `clientError` listener. Nothing is written into an answer that has begun. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const current = (socket as { _httpMessage?: ServerResponse | null })._httpMessage
  // The container has refused the head for it already: that answer still has to leave.
  if (error.code === 'HPE_INVALID_TRANSFER_ENCODING' && current?.headersSent === true) {
    socket.end(() => socket.destroy())
    return
  }
  if (!socket.writable || error.code === 'ECONNRESET' || current?.headersSent === true) {
    socket.destroy()
    return
  }
  const status = statuses[error.code ?? ''] ?? 400
  const { headers } = plainResponse(status)
  const body = reasonPhrase(status) + '\n'
  headers.set('Content-Length', Buffer.byteLength(body))
  headers.set('Connection', 'close')
  let head = `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`
  for (const [name, value] of headers) head += `${name}: ${value}\r\n`
  socket.end(`${head}\r\n${body}`, () => socket.destroy())
}
