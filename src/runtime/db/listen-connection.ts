/** The connection to a PostgreSQL server on which a process listens for notifications. */
import type { Socket } from 'node:net'
import pg from 'pg'
import { connectServer, endClient } from './connect-server.ts'
import type { ListenConnection, ListenEvents } from './notifications.ts'
import type { ServerAddress } from './server-address.ts'
import type { CompletePostgresSettings } from './settings.ts'

type ListenSettings = Pick<CompletePostgresSettings, 'acquireTimeout' | 'applicationName'> & {
  readonly address: ServerAddress
}

export async function connectListener(
  { address, acquireTimeout, applicationName }: ListenSettings,
  { onNotification, onLost }: ListenEvents,
): Promise<ListenConnection> {
  const settings = {
    options: address.options,
    application_name: address.applicationName ?? applicationName,
    connectionTimeoutMillis: address.connectTimeout ?? acquireTimeout,
    keepAlive: true,
    // The server may send nothing for hours. The system's default keep-alive would detect a cut network only after two hours.
    keepAliveInitialDelayMillis: 30_000,
  }
  let isLost = false
  const { client, socket } = await connectServer(address, settings, openClient)
  const lose = (error: Error): void => {
    if (!isLost) onLost(error)
    isLost = true
  }
  client.on('notification', ({ channel, payload }) => onNotification(channel, payload ?? ''))
  client.on('error', lose)
  client.on('end', () => lose(new Error('the server ended the connection')))
  // pg warns of a query that is sent before the previous one has ended.
  let last: Promise<unknown> = Promise.resolve()
  const run = async (command: string, channel: string): Promise<void> => {
    const query = () => client.query(`${command} ${pg.escapeIdentifier(channel)}`)
    const sent = last.then(query, query)
    last = sent
    await sent
  }
  return {
    listen: (channel) => run('listen', channel),
    unlisten: (channel) => run('unlisten', channel),
    close: () => endClient(client, socket),
  }
}

async function openClient(client: pg.Client, socket: Socket) {
  // The promise of `connect` reports the error too. Without a listener, the event would end the process.
  client.on('error', () => {})
  const destroy = (): void => void socket.destroy()
  // pg leaves the socket open if the authentication fails on this side.
  await client.connect().catch((error: unknown) => {
    destroy()
    throw error
  })
  return { client, socket, destroy }
}
