/** The error for a database that cannot be reached, with a remedy for the usual reasons. */
import { HttpError } from '../base.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { findUrlProblem } from './server-address.ts'
import type { PostgresSettings } from './settings.ts'

const tooManyConnections = '53300'

/** The settings of a server that cannot be reached. */
type ServerSettings = Partial<Pick<PostgresSettings, 'url' | 'urlSetting' | 'poolSize'>>

/** The error of an unreachable database, with status 503. The message contains the reason and the remedy. */
export class UnavailableError extends HttpError {
  readonly reason: string
  /** The remedy; undefined if the reason is unknown. */
  readonly remedy: string | undefined

  /** The message does not contain the password of the URL. */
  constructor(cause: unknown, server: ServerSettings = {}) {
    const failure = firstFailure(cause)
    const isFull = (failure as { code?: unknown } | null)?.code === tooManyConnections
    const problem = isFull ? 'refuses the connection' : 'cannot be reached'
    const reason = `The database ${problem}: ${describe(failure)}`
    const remedy = findRemedy(failure, server)
    const message = remedy === undefined ? reason : `${reason}. ${remedy}`
    super(503, 'db.unavailable', message, { cause })
    this.reason = reason
    this.remedy = remedy
  }
}

/** Returns the first failure: Node tries every address of a host, and collects the failures in an error without message. */
const firstFailure = (cause: unknown): unknown =>
  cause instanceof AggregateError && cause.message === '' ? cause.errors[0] : cause

const describe = (cause: unknown): string =>
  cause instanceof Error ? explain(cause.message || cause.name) : String(cause)

/** Rewrites Node's message about a failed connection as a sentence. */
const explain = (message: string): string =>
  message
    .replace(/^connect ECONNREFUSED (\S+)$/, 'no server accepts connections at $1 (ECONNREFUSED)')
    .replace(/^getaddrinfo ENOTFOUND (\S+)$/, 'there is no host $1 (ENOTFOUND)')

function parseServer({ url = '', urlSetting, poolSize }: ServerSettings) {
  const isValid = findUrlProblem(url) === undefined
  const { hosts, user = '', database = user } = parseDatabaseUrl(isValid ? url : 'postgres://')
  const { host, port } = hosts[0]!
  const [, name = 'default'] = /^db\.(.+)\.\w+$/.exec(urlSetting ?? '') ?? []
  return {
    setting: urlSetting ?? 'the url of the database',
    poolSetting: `db.${name}.poolSize`,
    poolSize,
    /** Whether `fw db:create` creates this database. */
    isDefault: urlSetting === 'DATABASE_URL' || urlSetting === 'db.default.url',
    user,
    database,
    /** The command-line options of PostgreSQL's programs that select this server. */
    options: command(host && `-h ${host}`, port && `-p ${port}`),
  }
}

type Server = ReturnType<typeof parseServer>

const command = (...words: readonly (string | number | undefined)[]): string =>
  words.filter(Boolean).join(' ')

/** The remedies by the server's SQLSTATE or Node's error code. A command has its own line, so that it can be copied. */
const remedies: Readonly<Record<string, (server: Server, reason: string) => string>> = {
  '3D000': ({ setting, isDefault, options, user, database }) => {
    const create = command('createdb', options, user && `-U ${user}`, database)
    return `Correct ${setting}, or create the database with this command:\n  ${isDefault ? './fw db:create' : create}`
  },
  '28P01': ({ setting }) => `Correct the user or the password in ${setting}.`,
  '28000': ({ setting, options, user }, reason) => {
    if (/no encryption|SSL off/.test(reason))
      return `The server requires TLS: add sslmode=verify-full to ${setting}, or sslmode=require to encrypt without a check of the certificate.`
    if (reason.includes('pg_hba.conf'))
      return `Correct ${setting}, or allow the connection in pg_hba.conf of the server.`
    if (!reason.endsWith('does not exist')) return `Correct the user in ${setting}.`
    const create = command('createuser', options, '-U postgres --pwprompt', user)
    return `Correct the user in ${setting}, or create this role as the server's administrator, such as postgres, with this command:\n  ${create}`
  },
  [tooManyConnections]: ({ poolSetting, poolSize }, reason) => {
    const [, owner] = /for (role|database)/.exec(reason) ?? []
    const limit = owner === undefined ? 'max_connections' : `the connection limit of the ${owner}`
    const size = poolSize === undefined ? '' : ` (${poolSize} for each process)`
    return `Lower ${poolSetting}${size}, or raise ${limit} of the server.`
  },
  '08P01': ({ setting, poolSetting }, reason) =>
    /startup parameter/.test(reason)
      ? `A pooler refuses the settings of a session: set ${poolSetting.replace('poolSize', 'prepare')}: false, or add pgbouncer=true to ${setting}.`
      : `Check that ${setting} is the address of a PostgreSQL server.`,
  '57P03': () => 'The server is starting or stopping: try again in a moment.',
  ECONNREFUSED: ({ setting }) => `Start the server, or correct host and port in ${setting}.`,
  ENOENT: ({ setting }) => `Start the server, or correct the folder of its socket in ${setting}.`,
  ENOTFOUND: ({ setting }) => `Correct the host name in ${setting}.`,
  EAI_AGAIN: ({ setting }) =>
    `Check the name resolution of this machine, or the host name in ${setting}.`,
  ETIMEDOUT: ({ setting }) => `Check the firewall, and host and port in ${setting}.`,
}

/** OpenSSL's and Node's codes of errors about a certificate. */
const certificateCode = /CERT|UNABLE_TO_|ERR_TLS_CERT/

const certificateRemedy = ({ setting }: Server): string =>
  `Name the file of the authority's certificate with sslrootcert=/path/ca.pem in ${setting}, connect by a host name of the certificate, or encrypt without a check with sslmode=require.`

function findRemedy(cause: unknown, server: ServerSettings): string | undefined {
  const { code, message = '' } = (cause ?? {}) as { code?: unknown; message?: string }
  if (typeof code === 'string' && certificateCode.test(code))
    return certificateRemedy(parseServer(server))
  if (message.includes('does not support SSL connections'))
    return `Write sslmode=disable in ${parseServer(server).setting} if the network is trusted, or give the server a certificate.`
  return typeof code === 'string' ? remedies[code]?.(parseServer(server), message) : undefined
}
