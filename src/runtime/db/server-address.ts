/** The servers that a database URL names, and how to connect to them: TLS, session attributes, channel binding. */
import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { definedMembers } from '../base.ts'
import {
  DatabaseUrlError,
  invalidUrlError,
  parseDatabaseUrl,
  type DatabaseUrl,
} from './database-url.ts'

/** The state that a server must have to be used. */
export type SessionAttributes =
  | 'any'
  | 'read-write'
  | 'read-only'
  | 'primary'
  | 'standby'
  | 'prefer-standby'

export interface ServerAddress extends Omit<DatabaseUrl, 'parameters'> {
  /** The TLS options to try, in order; false connects without TLS. */
  readonly tls: readonly (ConnectionOptions | boolean)[]
  readonly hasDirectTls: boolean
  readonly channelBinding: 'disable' | 'prefer' | 'require'
  readonly sessionAttributes: SessionAttributes
  /** Whether the hosts are tried in random order. */
  readonly isBalanced: boolean
  /** Whether the URL says that it leads to a pooler. */
  readonly isPooled: boolean
  readonly applicationName: string | undefined
  /** The startup parameter `options`. */
  readonly options: string | undefined
  /** The milliseconds until a server must have accepted the connection; undefined for the setting `acquireTimeout`. */
  readonly connectTimeout: number | undefined
}

/** What to do about parameters that other programs read. */
const advice: Readonly<Record<string, string>> = {
  schema: 'set the search path of the role: alter role … set search_path = …',
  connection_limit: 'set db.default.poolSize',
  pool_timeout: 'set db.default.acquireTimeout',
  statement_timeout: 'set db.default.statementTimeout',
  idle_in_transaction_session_timeout: 'set db.default.idleTransactionTimeout',
  lock_timeout: 'set db.default.lockTimeout, which is for migrations',
  statement_cache_size: 'set db.default.prepare: false behind a pooler',
  sslaccept: 'write sslmode=require for strict=false, or sslmode=verify-full',
  hostaddr: 'name the address as the host',
  service: 'write the settings of the service into the URL',
  passfile: 'write the password into the URL, which may come from a variable',
}

const tlsModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** The values of the parameters that Fw knows; `true` is any text. */
const known: Readonly<Record<string, readonly string[] | true>> = {
  application_name: true,
  channel_binding: ['disable', 'prefer', 'require'],
  client_encoding: ['UTF8', 'utf8', 'UTF-8', 'utf-8', 'auto'],
  connect_timeout: true,
  fallback_application_name: true,
  gssencmode: ['disable', 'prefer'],
  keepalives: ['1'],
  load_balance_hosts: ['disable', 'random'],
  options: true,
  pgbouncer: ['true', 'false'],
  schema: ['public'],
  ssl: ['true', 'false', '1', '0', 'no-verify'],
  ssl_min_protocol_version: ['TLSv1.2', 'TLSv1.3'],
  sslcert: true,
  sslkey: true,
  sslmode: tlsModes,
  sslnegotiation: ['postgres', 'direct'],
  sslpassword: true,
  sslrootcert: true,
  sslsni: ['1'],
  // Supabase and Vercel label their URLs with these.
  supa: true,
  target_session_attrs: ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'],
  uselibpqcompat: ['true'],
  workaround: true,
}

function checkParameters(parameters: ReadonlyMap<string, string>): void {
  for (const [name, value] of parameters) {
    const values = Object.hasOwn(known, name) ? known[name] : undefined
    if (values === true || values?.includes(value)) continue
    const remedy = Object.hasOwn(advice, name) ? advice[name] : undefined
    throw new DatabaseUrlError(
      values === undefined || remedy !== undefined
        ? `Fw does not read the parameter ${name} of the URL: remove it${remedy === undefined ? '' : `, and ${remedy}`}`
        : `the parameter ${name} of the URL must be ${values.join(' or ')}`,
    )
  }
}

/** Returns why a URL cannot be used; undefined if it can. Reads no files. */
export function findUrlProblem(url: string): string | undefined {
  try {
    checkParameters(parseDatabaseUrl(url).parameters)
    return undefined
  } catch (error) {
    if (error instanceof DatabaseUrlError) return error.message
    throw error
  }
}

/** Parses a URL, and reads the certificates that it names. @throws FwError `db.setting-invalid` */
export function readServerAddress(
  url: string,
  setting = 'the url of the database',
  tls?: ConnectionOptions | boolean,
): ServerAddress {
  try {
    const { parameters, ...parts } = parseDatabaseUrl(url)
    checkParameters(parameters)
    return { ...parts, ...readParameters(parameters, tls) }
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error
    throw invalidUrlError(setting, error.message)
  }
}

function readParameters(
  parameters: ReadonlyMap<string, string>,
  tls?: ConnectionOptions | boolean,
) {
  const get = (name: string): string | undefined => parameters.get(name) || undefined
  const mode = readTlsMode(get)
  const list = tls === undefined ? tlsOptions(mode, get) : [tls]
  const hasDirectTls = get('sslnegotiation') === 'direct'
  if (hasDirectTls && list.includes(false))
    throw new DatabaseUrlError(
      'sslnegotiation=direct needs sslmode=require, verify-ca or verify-full',
    )
  const channelBinding = (get('channel_binding') ?? 'disable') as ServerAddress['channelBinding']
  if (channelBinding === 'require' && list.includes(false))
    throw new DatabaseUrlError(
      'channel_binding=require needs sslmode=require, verify-ca or verify-full',
    )
  return {
    tls: list,
    hasDirectTls,
    channelBinding,
    sessionAttributes: (get('target_session_attrs') ?? 'any') as SessionAttributes,
    isBalanced: get('load_balance_hosts') === 'random',
    isPooled: get('pgbouncer') === 'true',
    applicationName: get('application_name') ?? get('fallback_application_name'),
    options: get('options'),
    connectTimeout: readSeconds(get('connect_timeout')),
  }
}

type Get = (name: string) => string | undefined

/** Returns the mode of libpq. `ssl` is JDBC's parameter, and `no-verify` that of pg. Without a parameter, pg reads `PGSSLMODE`. */
function readTlsMode(get: Get): string | undefined {
  const named = get('sslmode')
  if (named !== undefined) return named === 'no-verify' ? 'require' : named
  const ssl = get('ssl')
  if (ssl !== undefined) return ssl === 'false' || ssl === '0' ? 'disable' : 'require'
  if (get('sslrootcert') !== undefined) return 'verify-full'
  if (get('sslnegotiation') === 'direct') return 'require'
  const variable = process.env['PGSSLMODE'] || undefined
  if (variable !== undefined && !tlsModes.includes(variable))
    throw new DatabaseUrlError(
      `PGSSLMODE must be ${tlsModes.join(' or ')}, which sslmode in the URL replaces`,
    )
  return variable === 'no-verify' ? 'require' : variable
}

function tlsOptions(mode: string | undefined, get: Get): readonly (ConnectionOptions | boolean)[] {
  if (mode === undefined || mode === 'disable') return [false]
  const root = get('sslrootcert')
  const files = definedMembers({
    ca: root === 'system' ? undefined : readCertificate('sslrootcert', root),
    cert: readCertificate('sslcert', get('sslcert')),
    key: readCertificate('sslkey', get('sslkey')),
    passphrase: get('sslpassword'),
    minVersion: get('ssl_min_protocol_version') as ConnectionOptions['minVersion'],
  })
  if (mode === 'verify-full') return [files]
  const verifiesAuthority = mode === 'verify-ca' || (mode === 'require' && root !== undefined)
  if (verifiesAuthority && files.ca === undefined)
    throw new DatabaseUrlError(
      `sslmode=${mode} needs the certificate of the authority: name its file with sslrootcert, or write sslmode=verify-full`,
    )
  if (verifiesAuthority) return [{ ...files, checkServerIdentity: () => undefined }]
  const unverified = { ...files, rejectUnauthorized: false }
  return mode === 'prefer' ? [unverified, false] : [unverified]
}

function readCertificate(parameter: string, path: string | undefined): Buffer | undefined {
  if (path === undefined) return undefined
  try {
    return readFileSync(path)
  } catch (error) {
    const { code } = error as { code?: string }
    throw new DatabaseUrlError(
      `the file ${path} of the parameter ${parameter} cannot be read (${code})`,
    )
  }
}

function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined || text === '0') return undefined
  if (/^\d{1,5}$/.test(text)) return Number(text) * 1000
  throw new DatabaseUrlError('the parameter connect_timeout of the URL must be a number of seconds')
}
