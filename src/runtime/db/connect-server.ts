/** Connects to the first usable server of an address, and ends connections. */
import { Socket } from 'node:net'
import pg from 'pg'
import { noChannelBinding, requireChannelBinding, requireProtocol } from './pg-internals.ts'
import type { ServerAddress, SessionAttributes } from './server-address.ts'

/** What `open` returns; `destroy` closes the client at once. */
interface OpenedClient {
  destroy(): void
}

/** Connects a client, whose unconnected socket it gets. */
type Open<T> = (client: pg.Client, socket: Socket) => Promise<T>

/** The settings of a client, without its server. */
export type ClientSettings = Omit<pg.ClientConfig, 'host' | 'port' | 'ssl' | 'stream'> & {
  readonly pipeline?: boolean
}

/**
 * Tries the hosts in order, and returns the first one that accepts the connection and has the attributes that the URL requires.
 * `open` connects a client, and closes it if that fails. As in libpq, a refused password ends the attempts.
 */
export async function connectServer<T extends OpenedClient>(
  address: ServerAddress,
  settings: ClientSettings,
  open: Open<T>,
): Promise<T> {
  const { sessionAttributes, hosts, isBalanced } = address
  const passes: readonly SessionAttributes[] =
    sessionAttributes === 'prefer-standby' ? ['standby', 'any'] : [sessionAttributes]
  const failures: Error[] = []
  for (const attributes of passes) {
    for (const server of isBalanced ? shuffle(hosts) : hosts) {
      try {
        return await connectHost(address, { ...settings, ...server }, attributes, open)
      } catch (error) {
        if (isFinal(error)) throw error
        failures.push(error as Error)
      }
    }
  }
  throw hosts.length === 1 ? failures.at(-1)! : joinFailures(failures)
}

/** Connects to one host. With `sslmode=prefer`, connects again without TLS if the server has none. */
async function connectHost<T extends OpenedClient>(
  address: ServerAddress,
  config: pg.ClientConfig,
  attributes: SessionAttributes,
  open: Open<T>,
): Promise<T> {
  // As in libpq, a socket in a folder is never encrypted.
  const [ssl, other] = config.host?.startsWith('/') === true ? [false] : address.tls
  try {
    return await openWith(createClient(address, { ...config, ssl }), attributes, open)
  } catch (error) {
    if (other === undefined || !refusesTls(error)) throw error
    return openWith(createClient(address, { ...config, ssl: other }), attributes, open)
  }
}

/** A client that has not connected yet. */
interface CreatedClient {
  readonly client: pg.Client
  readonly socket: Socket
  /** Whether the server may be used: with `channel_binding=require`, only after an authentication with channel binding. */
  readonly isAuthenticated: () => boolean
}

function createClient(
  { user, password, database, channelBinding, hasDirectTls }: ServerAddress,
  config: pg.ClientConfig,
): CreatedClient {
  const socket = new Socket()
  const isDirect = hasDirectTls && config.ssl !== false
  const client = new pg.Client({
    ...config,
    stream: () => socket,
    user,
    database,
    password,
    enableChannelBinding: channelBinding !== 'disable' && config.ssl !== false,
    ...(isDirect && { sslnegotiation: 'direct' }),
  })
  if (isDirect) requireProtocol(client)
  const isAuthenticated =
    channelBinding === 'require' ? requireChannelBinding(client) : (): boolean => true
  return { client, socket, isAuthenticated }
}

async function openWith<T extends OpenedClient>(
  { client, socket, isAuthenticated }: CreatedClient,
  attributes: SessionAttributes,
  open: Open<T>,
): Promise<T> {
  const opened = await open(client, socket)
  try {
    if (!isAuthenticated()) throw noChannelBinding()
    if (attributes !== 'any') await checkAttributes(client, attributes)
    return opened
  } catch (error) {
    opened.destroy()
    throw error
  }
}

/** The milliseconds that closing may take; otherwise a server that does not respond would delay the end of the process. */
const closeGrace = 1000

/** Ends the session of an idle client, and closes its socket. */
export async function endClient(client: pg.Client, socket: Socket): Promise<void> {
  const timer = setTimeout(() => socket.destroy(), closeGrace)
  await client.end()
  clearTimeout(timer)
}

const stateSql = `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as readonly`

async function checkAttributes(client: pg.Client, attributes: SessionAttributes): Promise<void> {
  const { rows } = await client.query<{ standby: boolean; readonly: boolean }>(stateSql)
  const { standby, readonly } = rows[0]!
  const has = {
    'read-write': !readonly,
    'read-only': readonly,
    primary: !standby,
    standby,
  }[attributes as 'read-write' | 'read-only' | 'primary' | 'standby']
  if (!has) throw new Error(`the server is not ${attributes} (target_session_attrs)`)
}

/** Whether the server refused the client itself, as for a wrong password; another host would not be better. */
function isFinal(error: unknown): boolean {
  const { severity, code } = error as { severity?: unknown; code?: unknown }
  return severity !== undefined && code !== '57P03'
}

const refusesTls = (error: unknown): boolean =>
  error instanceof Error && error.message === 'The server does not support SSL connections'

const shuffle = <T>(list: readonly T[]): readonly T[] =>
  list
    .map((item) => ({ item, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)

/** One error with all reasons, and with the code of the last one. */
function joinFailures(failures: readonly Error[]): Error {
  const { code } = failures.at(-1) as { code?: unknown }
  const message = failures.map((error) => describe(error)).join('; ')
  return Object.assign(new Error(message, { cause: failures.at(-1) }), { code })
}

const describe = (error: Error): string =>
  error instanceof AggregateError && error.message === ''
    ? (error.errors as Error[]).map(({ message }) => message).join(', ')
    : error.message
