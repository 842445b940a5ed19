/** The connection to a PostgreSQL server on which a process listens. */
import type { ConnectionOptions } from 'node:tls'
import pg from 'pg'
import type { ListenConnection, ListenEvents } from './notifications.ts'

export interface ListenOptions {
  readonly url: string
  readonly tls: ConnectionOptions | boolean | undefined
  readonly connectTimeout: number
  readonly applicationName: string
}

export async function connectListener(
  { url, tls, connectTimeout, applicationName }: ListenOptions,
  { onNotification, onLost }: ListenEvents,
): Promise<ListenConnection> {
  const client = new pg.Client({
    connectionString: url,
    ...(tls === undefined ? {} : { ssl: tls }),
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
  })
  let isLost = false
  const lose = (): void => {
    if (!isLost) onLost()
    isLost = true
  }
  client.on('notification', ({ channel, payload }) => onNotification(channel, payload ?? ''))
  client.on('error', lose)
  client.on('end', lose)
  await client.connect()
  return {
    listen: async (channel) => {
      await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    },
    close: () => client.end(),
  }
}
