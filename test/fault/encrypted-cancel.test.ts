/** Tests that a cancel request of an encrypted connection is encrypted too, because it contains the session's key. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/runtime/db.ts'
import { canStartPostgres, PostgresServer } from '../support/postgres-server.ts'

const requestTls = 80877103

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Forwards connections to the server. `received` are the bytes of each connection from the client. */
async function recordTo(port: number) {
  const received: Buffer[] = []
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    const at = received.push(Buffer.alloc(0)) - 1
    client.on('data', (chunk: Buffer) => (received[at] = Buffer.concat([received[at]!, chunk])))
    client.pipe(server).pipe(client)
    for (const socket of [client, server]) socket.on('error', () => {})
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  return { port: (proxy.address() as AddressInfo).port, received }
}

describe.skipIf(!canStartPostgres || !hasOpenssl())('a server with TLS', () => {
  let server: PostgresServer
  let certificate: string
  beforeAll(async () => {
    server = await PostgresServer.start()
    certificate = server.restartWithTls()
  })
  afterAll(() => server.remove())

  test('a statement is cancelled by an encrypted request, and the connection stays open', async () => {
    const { port, received } = await recordTo(Number(new URL(server.url).port))
    const database = await openDatabase({
      kind: 'postgres',
      url: `postgres://postgres@localhost:${port}/postgres`,
      tls: { ca: certificate },
      poolSize: 1,
      statementTimeout: 0,
    })
    onTestFinished(() => database.close())
    const pid = async () =>
      (
        await database.query<{ pid: number }>({
          sql: 'select pg_backend_pid() as pid',
          parameters: [],
        })
      ).rows
    const before = await pid()
    const client = new AbortController()
    const work = database.transaction(
      async () => {
        const slow = database.query({ sql: 'select pg_sleep(3600)', parameters: [] })
        setTimeout(() => client.abort(new Error('client gone')), 100)
        await slow
      },
      { signal: client.signal },
    )
    await expect(work).rejects.toThrow('client gone')
    expect(await pid()).toEqual(before)
    expect(received.length).toBeGreaterThan(1)
    for (const bytes of received) {
      expect(bytes.readUInt32BE(4)).toBe(requestTls)
      // After the request for TLS, the client sends only TLS records: the first is a handshake.
      expect(bytes[8]).toBe(0x16)
    }
  })
})
