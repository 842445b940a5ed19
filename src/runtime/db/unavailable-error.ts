/** The error of a database that cannot be reached, with the remedy for the usual reasons. */
import { HttpError } from '../base.ts'

/** A 503 response. The message contains reason and remedy. */
export class UnavailableError extends HttpError {
  readonly reason: string
  /** Absent where the reason is unknown. */
  readonly remedy: string | undefined

  /** `url` is the address of the server; the message contains no password. */
  constructor(cause: unknown, url?: string) {
    const failure = firstFailure(cause)
    const reason = `The database cannot be reached: ${describe(failure)}`
    const remedy = findRemedy(failure, url)
    const message = remedy === undefined ? reason : `${reason}. ${remedy}`
    super(503, 'db.unavailable', message, { cause })
    this.reason = reason
    this.remedy = remedy
  }
}

/** Node tries every address of a host name and collects the failures in an error without a message. */
const firstFailure = (cause: unknown): unknown =>
  cause instanceof AggregateError && cause.message === '' ? cause.errors[0] : cause

const describe = (cause: unknown): string =>
  cause instanceof Error ? explain(cause.message || cause.name) : String(cause)

/** Node's message of a failed connection as a sentence. */
const explain = (message: string): string =>
  message
    .replace(/^connect ECONNREFUSED (\S+)$/, 'no server accepts connections at $1 (ECONNREFUSED)')
    .replace(/^getaddrinfo ENOTFOUND (\S+)$/, 'there is no host $1 (ENOTFOUND)')

const settings = 'the url of the database (DATABASE_URL or db.default.url)'

interface Server {
  readonly user: string
  readonly database: string
  /** The options of PostgreSQL's programs. */
  readonly options: string
}

function parseServer(url: string | undefined): Server | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined
  const { hostname, port, username, pathname } = new URL(url)
  const host = decodeURIComponent(hostname)
  const options = [host && `-h ${host}`, port && `-p ${port}`].filter(Boolean).join(' ')
  const user = decodeURIComponent(username)
  return { user, database: decodeURIComponent(pathname.slice(1)) || user, options }
}

const command = (...words: readonly string[]): string => words.filter(Boolean).join(' ')

/** By SQLSTATE of the server, or error code of Node. */
const remedies: Readonly<Record<string, (server: Server | undefined) => string>> = {
  '3D000': (server) =>
    server === undefined
      ? `Create it, or correct ${settings}.`
      : `Create it: ${command('createdb', server.options, server.user && `-U ${server.user}`, server.database)}`,
  '28P01': () => `Correct the user or the password in ${settings}.`,
  '28000': (server) =>
    `Create the role${server?.user ? `: ${command('createuser', server.options, server.user)}` : ''}, allow it in pg_hba.conf, or correct the user in ${settings}.`,
  '53300': () => 'Lower db.default.poolSize, or raise max_connections of the server.',
  '57P03': () => 'The server is starting or stopping: try again in a moment.',
  ECONNREFUSED: () => `Start the server, or correct host and port in ${settings}.`,
  ENOENT: () => `Start the server, or correct the folder of its socket in ${settings}.`,
  ENOTFOUND: () => `Correct the host name in ${settings}.`,
  EAI_AGAIN: () => `Check the name resolution of this machine, or the host name in ${settings}.`,
  ETIMEDOUT: () => `Check the firewall, and host and port in ${settings}.`,
}

function findRemedy(cause: unknown, url: string | undefined): string | undefined {
  const { code } = (cause ?? {}) as { code?: unknown }
  return typeof code === 'string' ? remedies[code]?.(parseServer(url)) : undefined
}
