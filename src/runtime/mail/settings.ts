/** The settings of mails, which become rows of docs/configuration.md. */
import { defineSettings, type SettingsOf } from '../config.ts'
import { parseSender } from './address.ts'
import { isLoopback, MailUrlError, parseMailUrl } from './mail-url.ts'

const mebibyte = 1024 ** 2

function findUrlProblem(url: string): string | undefined {
  try {
    parseMailUrl(url)
    return undefined
  } catch (error) {
    if (error instanceof MailUrlError) return error.message
    throw error
  }
}

function findSenderProblem(text: string): string | undefined {
  try {
    parseSender(text)
    return undefined
  } catch {
    return 'must be an address such as shop@example.com or Shop <shop@example.com>'
  }
}

/** The schema of the settings below `mail`. */
export const mailSettings = defineSettings({
  mail: {
    url: {
      kind: 'string',
      secret: true,
      doc: 'The mail server, such as smtp://user:password@host:587 or smtps://…; unused in development and test.',
      check: findUrlProblem,
    },
    from: {
      kind: 'string',
      doc: 'The sender of mails that name none: shop@example.com or Shop <shop@example.com>.',
      check: findSenderProblem,
    },
    tls: {
      kind: 'string',
      oneOf: ['required', 'optional'],
      doc: 'required: the connection is encrypted, with a verified certificate. Default: required, but optional for this machine.',
    },
    ca: { kind: 'string', doc: 'The file of a private certificate authority, in PEM.' },
    maxConnections: {
      kind: 'int',
      min: 1,
      max: 100,
      default: 5,
      doc: 'Connections of a process to the mail server.',
    },
    timeout: {
      kind: 'duration',
      min: 100,
      default: 30_000,
      doc: 'How long the mail server may be silent before a mail is tried again later.',
    },
    maxSize: {
      kind: 'size',
      min: 1024,
      default: 20 * mebibyte,
      doc: 'Bodies and attachments of one mail.',
    },
  },
})

/** The validated settings below `mail`. */
export type MailSettings = SettingsOf<typeof mailSettings>['mail']

/** Returns whether mails are only sent over TLS with a verified certificate. */
export const requiresTls = ({ tls }: Pick<MailSettings, 'tls'>, host: string): boolean =>
  tls === undefined ? !isLoopback(host) : tls === 'required'
