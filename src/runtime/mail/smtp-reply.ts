/** Decides whether a failed reply of a mail server refuses the mail, refuses the application, or postpones the mail. */

/** A failed reply of a mail server. */
export interface SmtpReply {
  /** The command that the reply answers, such as `RCPT TO`; `CONN` for the greeting. */
  readonly command?: string | undefined
  /** The code of the reply; undefined if the connection failed. */
  readonly responseCode?: number | undefined
  /** The whole reply, such as `550 5.1.1 No such user here`. */
  readonly response?: string | undefined
}

/** The error code of a mail that was not sent. */
export type SendingErrorCode = 'mail.refused' | 'mail.settings-refused' | 'mail.not-sent'

/** The codes that refuse a recipient or a mail for good, by the command that they answer. */
const finalCodes: Readonly<Record<string, readonly number[]>> = {
  // The command contains the sender, whom all mails share. Only the size is that of the mail.
  'MAIL FROM': [552],
  'RCPT TO': [501, 550, 551, 553, 554, 556],
  DATA: [550, 551, 552, 553, 554, 556],
}

/**
 * The enhanced status codes of the sender (5.1.7, 5.1.8), the server (5.3.2, 5.3.3, 5.3.5, 5.4.5), the login and encryption
 * (5.7.8 to 5.7.14), and the domain of the sender (5.7.20 to 5.7.29). Source: RFC 5248 and its registry.
 */
const settingsStatus = /^5\d\d[ -]5\.(?:1\.[78]|3\.[235]|4\.5|7\.(?:[89]|1[0-4]|2\d))(?!\d)/

/** The enhanced status codes of the recipient, whose text may contain `relay` or `sender` without a refusal of either. */
const recipientStatus = /^5\d\d[ -]5\.(?:1\.(?:[1-6]|10)|2\.\d)(?!\d)/

/** Servers refuse relaying and senders with 5.7.1 too, which is also the status of spam. Only the text tells them apart. */
const settingsText = /\brelay|\bsender\b|authenticat/i

/** Returns `mail.refused` only if the same mail would be refused again although the settings are right. */
export function sendingErrorCode({
  command = '',
  responseCode: code = 0,
  response = '',
}: SmtpReply): SendingErrorCode {
  // 503 is about the state of the connection. 552 to RCPT TO means too many recipients (RFC 5321 §4.5.3.1.10).
  if (code < 500 || code === 503 || (code === 552 && command === 'RCPT TO')) return 'mail.not-sent'
  const concernsSettings =
    settingsStatus.test(response) ||
    (!recipientStatus.test(response) && settingsText.test(withoutAddresses(response)))
  return !concernsSettings && finalCodes[command]?.includes(code) === true
    ? 'mail.refused'
    : 'mail.settings-refused'
}

/** Servers repeat the address, which may contain any word. */
const withoutAddresses = (response: string): string =>
  response
    .split(/\s/)
    .filter((word) => !word.includes('@'))
    .join(' ')
