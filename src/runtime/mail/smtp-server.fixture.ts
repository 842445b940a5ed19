/** A real SMTP server with STARTTLS for tests: it stores mails, and refuses, postpones or stalls as an address says. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'

/** A received mail. */
export interface ReceivedMail {
  readonly recipients: readonly string[]
  /** The message as it was sent. */
  readonly source: string
  /** The parsed message. */
  readonly email: Email
  readonly user: string | undefined
  readonly isEncrypted: boolean
}

export interface SmtpServer {
  readonly port: number
  readonly received: ReceivedMail[]
  /** The number of connections since the start. */
  connections: number
  /** The file of the authority whose certificate the server has, in PEM. */
  readonly ca: string
}

/** The responses by the part of a recipient before the @. The first `busy` of each address is postponed, as by greylisting. */
const refusals: Readonly<Record<string, readonly [number, string]>> = {
  nobody: [550, '5.1.1 No such user here'],
  full: [452, '4.2.2 Mailbox full'],
}

/** Creates a key and a certificate for `localhost` and 127.0.0.1. */
function createCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'fw-smtp-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [keyFile, ca] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const request =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  execFileSync('openssl', [...request.split(' '), ...names, '-keyout', keyFile, '-out', ca], {
    stdio: 'ignore',
  })
  return { key: readFileSync(keyFile), cert: readFileSync(ca), ca }
}

const smtpError = (code: number, text: string): Error =>
  Object.assign(new Error(text), { responseCode: code })

/**
 * Starts a server on a free port. It requires the login `shop` with `p@ss`, unless `options` disable it. It calls `beforeAccepting`
 * after it has stored a mail, and before it accepts it.
 */
export async function startSmtpServer(
  options: SMTPServerOptions = {},
  beforeAccepting: () => Promise<void> | void = () => {},
): Promise<SmtpServer> {
  const { key, cert, ca } = createCertificate()
  const received: ReceivedMail[] = []
  const postponed = new Set<string>()
  const server = new SMTPServer({
    key,
    cert,
    logger: false,
    closeTimeout: 1,
    onConnect(_session, callback) {
      running.connections += 1
      callback()
    },
    onAuth({ username, password }, _session, callback) {
      if (username === 'shop' && password === 'p@ss') callback(null, { user: username })
      else callback(smtpError(535, '5.7.8 Authentication failed'))
    },
    onRcptTo({ address }, _session, callback) {
      const [local = ''] = address.split('@')
      const refusal = refusals[local]
      if (refusal !== undefined) return callback(smtpError(...refusal))
      if (local === 'busy' && !postponed.has(address)) {
        postponed.add(address)
        return callback(smtpError(451, '4.7.1 Greylisted, try again later'))
      }
      // A stalled connection never gets a response.
      if (local !== 'stall') callback()
    },
    onData(stream, session, callback) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const bytes = Buffer.concat(parts)
        const source = bytes.toString()
        if (source.includes('X-Spam: yes')) return callback(smtpError(554, '5.7.1 Spam'))
        const store = async (): Promise<void> => {
          received.push({
            recipients: session.envelope.rcptTo.map(({ address }) => address),
            source,
            email: await PostalMime.parse(bytes),
            user: session.user as string | undefined,
            isEncrypted: session.secure,
          })
          await beforeAccepting()
          callback()
        }
        void store()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as AddressInfo
  const running: SmtpServer = { port, received, connections: 0, ca }
  return running
}
