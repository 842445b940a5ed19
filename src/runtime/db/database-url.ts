/** Parses the URL of a database as libpq does: several hosts, sockets, and parameters. Its errors contain no part of the URL. */

import { FwError } from '../base.ts'

/** The parts of a URL; a part that the URL lacks is undefined or empty. */
export interface DatabaseUrl {
  /** At least one host; a host that begins with a slash is the folder of a socket. */
  readonly hosts: readonly {
    readonly host: string | undefined
    readonly port: number | undefined
  }[]
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string | undefined
  /** The other parameters after the question mark. */
  readonly parameters: ReadonlyMap<string, string>
}

/** Why a URL or one of its parameters cannot be used; the message is the end of a sentence. */
export class DatabaseUrlError extends Error {}

const scheme = /^postgres(?:ql)?:\/\//
const urlExample = 'postgres://user:password@host:5432/name'
const schemeProblem = `it must look like ${urlExample}`

/** Characters that people forget to encode, with their codes. */
const codes: Readonly<Record<string, string>> = {
  '#': '%23',
  '%': '%25',
  '/': '%2F',
  ':': '%3A',
  '?': '%3F',
  '@': '%40',
  ' ': '%20',
}

const notEncoded = (character: string, part = 'the URL'): DatabaseUrlError =>
  new DatabaseUrlError(
    `${part} contains '${character}' where it must be encoded: write ${codes[character]} in its place`,
  )

/** The error for a setting whose URL has a problem. */
export const invalidUrlError = (setting: string, problem: string): FwError =>
  new FwError(
    'db.setting-invalid',
    `${setting} ${problem === schemeProblem ? `is not the address of a PostgreSQL server. Write it like ${urlExample}` : `cannot be used: ${problem}`}. (The value is not shown, because it may contain a password.)`,
  )

/** The end of a sentence of the configuration that begins with `it`. */
export const continueSentence = (problem: string): string =>
  problem === schemeProblem ? `must look like ${urlExample}` : `cannot be used: ${problem}`

/** @throws DatabaseUrlError */
export function parseDatabaseUrl(given: string): DatabaseUrl {
  const url = given.trim()
  checkText(url)
  const rest = url.replace(scheme, '')
  const [, location = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(rest)!
  const [, authority = '', path] = /^([^/]*)(?:\/(.*))?$/s.exec(location)!
  const [, credentials, hosts = ''] = /^(?:(.*)@)?(.*)$/s.exec(authority)!
  if (credentials?.includes('@')) throw notEncoded('@', 'the password')
  if (credentials === undefined) {
    if (path?.includes('@')) throw notEncoded('/', 'the password')
    if (query.includes('@')) throw notEncoded('?', 'the password')
  }
  const [, user, password] = /^([^:]*)(?::(.*))?$/s.exec(credentials ?? '')!
  const parameters = parseParameters(query)
  const take = (name: string): string | undefined => {
    const value = parameters.get(name)
    parameters.delete(name)
    return value || undefined
  }
  return {
    user: take('user') ?? decode(user),
    password: take('password') ?? decode(password),
    database: take('dbname') ?? decode(path),
    hosts: parseHosts(hosts, take('host'), take('port')),
    parameters,
  }
}

function checkText(url: string): void {
  if (/^["'].*["']$/s.test(url)) throw new DatabaseUrlError('remove the quotes around the URL')
  if (!scheme.test(url)) throw new DatabaseUrlError(schemeProblem)
  if (/%(?![\da-f]{2})/i.test(url)) throw notEncoded('%')
  if (url.includes('#')) throw notEncoded('#')
  if (/\s/.test(url)) throw notEncoded(' ')
}

function decode(text: string | undefined): string | undefined {
  try {
    return text === undefined || text === '' ? undefined : decodeURIComponent(text)
  } catch {
    throw new DatabaseUrlError('the URL has percent-encoded bytes that are not UTF-8')
  }
}

function parseParameters(query: string): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const part of query.split('&').filter(Boolean)) {
    const [, name = '', value] = /^([^=]*)=?(.*)$/s.exec(part)!
    parameters.set(decode(name) ?? '', decode(value) ?? '')
  }
  return parameters
}

/** Parses the hosts of the URL, or those of the parameters `host` and `port`, which have priority. */
function parseHosts(text: string, hostList: string | undefined, portList: string | undefined) {
  const own = text.split(',').map((part) => {
    const [, host, port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(part) ?? [undefined, part]
    return { host: decode(host?.replace(/^\[(.*)\]$/, '$1')), port: parsePort(port) }
  })
  const hosts = hostList?.split(',').map((host) => host || undefined)
  const ports = portList?.split(',').map(parsePort)
  const list = hosts?.map((host, at) => ({ host, port: own[at]?.port ?? own[0]?.port })) ?? own
  if (ports === undefined) return list
  if (ports.length > 1 && ports.length !== list.length)
    throw new DatabaseUrlError(`${list.length} hosts have ${ports.length} ports: name one for each`)
  return list.map(({ host }, at) => ({ host, port: ports.length === 1 ? ports[0] : ports[at] }))
}

function parsePort(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port > 0 && port < 65_536) return port
  throw new DatabaseUrlError(
    "the port is not a number between 1 and 65535. A '/', '?', ':' or ',' in the password must be encoded: %2F, %3F, %3A, %2C",
  )
}

/** Returns the URL of another database of the same server. */
export function withDatabaseName(url: string, name: string): string {
  const [, base = '', query = ''] = /^(\w+:\/\/[^/?]*)[^?]*(.*)$/s.exec(url.trim())!
  const own = query.replace(/([?&])dbname=[^&]*&?/, '$1').replace(/[?&]$/, '')
  return `${base}/${encodeURIComponent(name)}${own}`
}
