/** Answers what Node's parser refused, and closes. */
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { reasonPhrase } from '../http.ts'

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
  const body = reasonPhrase(status) + '\n'
  const head = [
    `HTTP/1.1 ${status} ${reasonPhrase(status)}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
