/** The addresses of mails. A name or an address of a user cannot add a recipient or a header. */
import { FwError } from '../base.ts'
import { ParamType } from '../params.ts'

/** An address of a mail: `ann@example.com`, or one with the name that mail programs show. */
export type MailAddress = string | { readonly name?: string | undefined; readonly address: string }

/** An address with its name, which may be empty. */
export interface NamedAddress {
  readonly name: string
  readonly address: string
}

/** The longest name and subject in characters. */
const maxText = 250
/** The characters of a local part that need no quotes (RFC 5321, RFC 6531). */
const localPart = /^[^\s"(),:;<>[\\\]\p{Cc}]+@/u

/**
 * Returns the text in one line: each sequence of control characters and line breaks becomes a space. Splits `=?`, with which mail
 * programs begin an encoded word.
 * @throws FwError `mail.message-invalid` if the text is too long
 */
export function headerText(text: string, what: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll('=?', '= ?')
    .toWellFormed()
    .trim()
  if (line.length <= maxText) return line
  throw new FwError(
    'mail.message-invalid',
    `The ${what} of a mail has ${line.length} characters: at most ${maxText} are allowed.`,
  )
}

/**
 * Parses an address. Its domain becomes ASCII. A text must be an address alone: for a name, pass `{ name, address }`.
 * @throws FwError `mail.address-invalid`
 */
export function parseAddress(given: MailAddress, what: string): NamedAddress {
  const { name = '', address } = typeof given === 'string' ? { address: given } : given
  const parsed = ParamType.Email.parse(address.trim())
  if (parsed !== undefined && localPart.test(parsed))
    return { name: headerText(name, `name of ${what}`), address: parsed }
  const hint = address.includes('<') ? ' Pass a name as { name, address }.' : ''
  throw new FwError(
    'mail.address-invalid',
    `${what} of a mail is not an e-mail address: ${JSON.stringify(address.slice(0, 100))}.${hint}`,
  )
}

/** Parses the setting `mail.from`: `shop@example.com` or `Shop <shop@example.com>`. @throws FwError `mail.address-invalid` */
export function parseSender(text: string): NamedAddress {
  const [, name = '', address] = /^([^<>]*)<([^<>]*)>$/.exec(text.trim()) ?? []
  return address === undefined
    ? parseAddress(text, 'mail.from')
    : parseAddress({ name: name.trim().replace(/^"(.*)"$/, '$1'), address }, 'mail.from')
}

/** Formats an address for people: `Ann <ann@example.com>`. */
export const formatAddress = ({ name, address }: NamedAddress): string =>
  name === '' ? address : `${name} <${address}>`
