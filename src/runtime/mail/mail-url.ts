/** Parses the URL of a mail server, `smtp://user:password@host:587`. Its errors contain no part of the credentials. */

/** The parts of the setting `mail.url`. */
export interface MailUrl {
  /** True for `smtps`: the connection begins with TLS. Otherwise `STARTTLS` starts it. */
  readonly isImplicitTls: boolean
  readonly host: string
  readonly port: number
  readonly user: string | undefined
  readonly password: string | undefined
}

/** Why a URL cannot be used; the message continues a sentence that begins with `it`. */
export class MailUrlError extends Error {}

const example = 'smtp://user:password@host:587'
const ports = { smtp: 587, smtps: 465 }
const hostText = /^(\[[\da-f:.]{2,45}\]|[\p{L}\p{N}._-]{1,253})(?::(.*))?$/isu
/** Characters that people forget to encode, with their codes. */
const codes: Readonly<Record<string, string>> = {
  ' ': '%20',
  '#': '%23',
  '/': '%2F',
  ':': '%3A',
  '?': '%3F',
  '@': '%40',
}

/** @throws MailUrlError */
export function parseMailUrl(text: string): MailUrl {
  const [, scheme, rest = ''] = /^(smtps?):\/\/(.*)$/is.exec(text.trim()) ?? []
  if (scheme === undefined)
    throw new MailUrlError(`must begin with smtp:// or smtps://, such as ${example}`)
  const at = rest.lastIndexOf('@')
  const kind = scheme.toLowerCase() as keyof typeof ports
  return {
    isImplicitTls: kind === 'smtps',
    ...parseHost(rest.slice(at + 1), ports[kind]),
    ...(at < 0 ? { user: undefined, password: undefined } : parseCredentials(rest.slice(0, at))),
  }
}

function parseHost(text: string, defaultPort: number): Pick<MailUrl, 'host' | 'port'> {
  const end = text.search(/[/?#]/)
  const more = end < 0 ? '' : text.slice(end)
  const [, host, portText] = hostText.exec(end < 0 ? text : text.slice(0, end)) ?? []
  if (host === undefined) throw new MailUrlError(`must name a host, such as ${example}`)
  if (more !== '' && more !== '/')
    throw new MailUrlError(
      'must end after host and port: options are settings of their own, such as mail.tls',
    )
  const port = portText === undefined ? defaultPort : Number(portText)
  if (!/^\d{1,5}$/.test(portText ?? '1') || port < 1 || port > 65535)
    throw new MailUrlError('must have a port from 1 to 65535')
  return { host: host.replace(/^\[|\]$/g, ''), port }
}

function parseCredentials(text: string): Pick<MailUrl, 'user' | 'password'> {
  const [user = '', ...rest] = text.split(':')
  const password = rest.join(':')
  if (user === '' || password === '')
    throw new MailUrlError(`must have a user and a password before the @, such as ${example}`)
  const wrong = [...user, ...password].find((character) => character in codes)
  if (wrong !== undefined)
    throw new MailUrlError(
      `has the character '${wrong}' in the user or password: write ${codes[wrong]} in its place`,
    )
  return { user: decode(user), password: decode(password) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new MailUrlError("has a '%' in the user or password: write %25 in its place")
  }
}

const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|::1)$/i

/** Returns true for a loopback name or address, such as `localhost` or `127.0.0.1`. A connection to it does not leave the machine. */
export const isLoopback = (host: string): boolean => loopback.test(host)
