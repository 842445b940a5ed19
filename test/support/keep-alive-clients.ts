/**
 * Runs clients that repeat a request on keep-alive connections, and counts the requests that the server does not
 * answer.
 */
import { connect, type Socket } from 'node:net'

export interface KeepAliveClientOptions {
  readonly port: number
  readonly connections: number
  /** The clients end when this function returns true. Without it, they end when the server refuses connections. */
  readonly isDone?: (requests: number) => boolean
  /** The maximum time in milliseconds between a response and the next request; default 0. */
  readonly pause?: number
  /** True to send `Connection: close`, so that each request uses a new connection. */
  readonly closes?: boolean
  readonly path?: string
  /** The method; default GET. With POST, a failed request reaches the client, because a proxy does not repeat it. */
  readonly method?: string
  /** Runs after each response, with the number of responses and failures so far. */
  readonly onResponse?: (count: number) => void
}

export interface KeepAliveClientResult {
  readonly responses: number
  /** One sentence for each request that was sent but got no complete response with status 200. */
  readonly failures: readonly string[]
  /** For each connection that ended during a request, the body of the previous response on it; `''` without one. */
  readonly lostAfter: readonly string[]
}

interface Run {
  readonly options: KeepAliveClientOptions
  readonly request: string
  responses: number
  readonly failures: string[]
  readonly lostAfter: string[]
}

const isDone = ({ options, responses, failures }: Run): boolean =>
  options.isDone?.(responses + failures.length) ?? false

/**
 * Runs clients that repeat a request, each on one connection. After a response with `Connection: close`, a client
 * connects again.
 */
export async function runKeepAliveClients(
  options: KeepAliveClientOptions,
): Promise<KeepAliveClientResult> {
  const { path = '/', method = 'GET', closes = false, connections } = options
  const length = method === 'GET' ? '' : 'Content-Length: 0\r\n'
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${length}`
  const request = `${head}${closes ? 'Connection: close\r\n' : ''}\r\n`
  const run: Run = { options, request, responses: 0, failures: [], lostAfter: [] }
  await Promise.all(Array.from({ length: connections }, () => runClient(run)))
  return run
}

async function runClient(run: Run): Promise<void> {
  while (!isDone(run)) {
    const socket = await open(run.options.port)
    if (socket === 'refused') return
    if (typeof socket === 'string') run.failures.push(socket)
    else await repeat(run, socket)
  }
}

/** Opens a connection. Resolves to `refused` if the server no longer listens, or to the message of another error. */
function open(port: number): Promise<Socket | string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket))
    socket.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      resolve(code === 'ECONNREFUSED' ? 'refused' : `connecting: ${message}`),
    )
  })
}

/**
 * Repeats the request until the connection ends. If it ends while no request is waiting for its response, that is no
 * failure.
 */
function repeat(run: Run, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    let received = ''
    let previous = ''
    let isWaiting = false
    let timer: NodeJS.Timeout | undefined
    const send = (): void => {
      if (isDone(run)) return void socket.destroy()
      isWaiting = true
      socket.write(run.request)
    }
    const next = (): void => {
      const { pause = 0 } = run.options
      if (pause === 0) send()
      else timer = setTimeout(send, Math.random() * pause)
    }
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      received += text
      const response = parseResponse(received)
      if (response === undefined) return
      previous = received.slice(received.indexOf('\r\n\r\n') + 4)
      received = ''
      isWaiting = false
      if (response.status === 200) run.responses++
      else run.failures.push(`status ${response.status}`)
      run.options.onResponse?.(run.responses + run.failures.length)
      if (response.closes) socket.end()
      else next()
    })
    let reason = 'closed'
    socket.on('error', ({ message }) => (reason = message))
    socket.once('close', () => {
      clearTimeout(timer)
      if (isWaiting && !isDone(run)) {
        run.failures.push(`${reason}, received ${received.length} characters`)
        run.lostAfter.push(previous)
      }
      resolve()
    })
    send()
  })
}

function parseResponse(
  text: string,
): { readonly status: number; readonly closes: boolean } | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = text.slice(0, end)
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
  if (text.length < end + 4 + length) return undefined
  return { status: Number(head.slice(9, 12)), closes: /\r\nconnection: close/i.test(head) }
}
