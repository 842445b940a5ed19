/** The connection to a PostgreSQL server on which a process listens for notifications. */
import { Socket } from 'node:net'
import pg from 'pg'
import type { ListenConnection, ListenEvents } from './notifications.ts'
import type { CompletePostgresSettings } from './settings.ts'

type ListenSettings = Pick<
  CompletePostgresSettings,
  'url' | 'tls' | 'acquireTimeout' | 'applicationName'
>

/** The milliseconds that closing may take; otherwise a server that does not respond would delay the end of the process. */
const closeGrace = 1000

export async function connectListener(
  { url, tls, acquireTimeout, applicationName }: ListenSettings,
  { onNotification, onLost }: ListenEvents,
): Promise<ListenConnection> {
  const socket = new Socket()
  const client = new pg.Client({
    stream: () => socket,
    connectionString: url,
    ssl: tls,
    application_name: applicationName,
    connectionTimeoutMillis: acquireTimeout,
    keepAlive: true,
    // The server may send nothing for hours. The system's default keep-alive would detect a cut network only after two hours.
    keepAliveInitialDelayMillis: 30_000,
  })
  let isLost = false
  const lose = (error: Error): void => {
    if (!isLost) onLost(error)
    isLost = true
  }
  client.on('notification', ({ channel, payload }) => onNotification(channel, payload ?? ''))
  client.on('error', lose)
  client.on('end', () => lose(new Error('the server ended the connection')))
  await client.connect()
  return {
    listen: async (channel) => {
      await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    },
    unlisten: async (channel) => {
      await client.query(`unlisten ${pg.escapeIdentifier(channel)}`)
    },
    close: async () => {
      const timer = setTimeout(() => socket.destroy(), closeGrace)
      await client.end()
      clearTimeout(timer)
    },
  }
}
