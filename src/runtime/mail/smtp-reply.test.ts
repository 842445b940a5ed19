/** Which replies of a mail server make a dead letter, and which are faults of the settings. */
import { expect, test } from 'vitest'
import { sendingErrorCode, type SendingErrorCode } from './smtp-reply.ts'

const [refused, settings, later] = [
  'mail.refused',
  'mail.settings-refused',
  'mail.not-sent',
] as const

test.each<[command: string, response: string, SendingErrorCode]>([
  // Postponed, whatever the command is.
  ['CONN', '421 4.3.2 Service not available', later],
  ['AUTH PLAIN', '454 4.7.0 Temporary authentication failure', later],
  ['MAIL FROM', '451 4.3.0 Try again later', later],
  ['RCPT TO', '450 4.2.0 Greylisted', later],
  ['RCPT TO', '452 4.2.2 Mailbox full', later],
  ['DATA', '421 4.7.0 Try again later, closing connection', later],
  // The state of this connection.
  ['MAIL FROM', '503 5.5.1 Send EHLO first', later],
  ['RCPT TO', '503 5.5.1 Need MAIL first', later],
  ['DATA', '503 5.5.1 Need RCPT first', later],
  // The connection and the login concern no mail.
  ['CONN', '554 5.7.1 No SMTP service here', settings],
  ['EHLO', '550 5.7.1 Access denied', settings],
  ['STARTTLS', '502 5.5.1 Not implemented', settings],
  ['AUTH PLAIN', '535 5.7.8 Authentication failed', settings],
  ['AUTH LOGIN', '534 5.7.9 Mechanism too weak', settings],
  ['AUTH PLAIN', '538 5.7.11 Encryption required', settings],
  ['AUTH CRAM-MD5', '525 5.7.13 Account disabled', settings],
  ['AUTH PLAIN', '504 5.5.4 Unrecognized mechanism', settings],
  // The login, encryption and commands, at any command of a mail.
  ...(['MAIL FROM', 'RCPT TO', 'DATA'] as const).flatMap((command) =>
    [
      '500 5.5.2 Unknown command',
      '502 5.5.1 Not implemented',
      '504 5.5.4 Not implemented',
      '523 5.7.10 Encryption needed',
      '530 5.7.0 Must issue a STARTTLS command first',
      '530 5.7.0 Authentication required',
      '534 5.7.9 Please log in with your web browser',
      '535 5.7.8 Bad credentials',
      '538 5.7.11 Encryption required',
      '555 5.5.4 Unsupported option',
      '550 5.7.10 Encryption needed',
      '550 5.7.57 Client not authenticated to send mail',
      '554 5.7.14 Trust relationship required',
      '550 5.4.5 Daily user sending limit exceeded',
      '550-5.7.26 This mail has been blocked\n550 5.7.26 by the policy of its domain',
      '553 5.7.1 <shop@example.com>: Sender address rejected: not owned by user shop',
      '550 5.1.8 <shop@example.test>: Domain not found',
    ].map((response): [string, string, SendingErrorCode] => [command, response, settings]),
  ),
  // The sender, whom all mails share.
  ['MAIL FROM', '501 5.1.7 Bad address', settings],
  ['MAIL FROM', '550 5.7.1 Not allowed', settings],
  ['MAIL FROM', '553 5.1.3 Not a valid address', settings],
  ['MAIL FROM', '554 5.7.1 Blocked', settings],
  ['MAIL FROM', '552 5.3.4 Message size exceeds fixed limit', refused],
  // The recipient.
  ['RCPT TO', '501 5.1.3 Bad recipient address syntax', refused],
  ['RCPT TO', '550 5.1.1 No such user here', refused],
  ['RCPT TO', '550 5.4.1 Recipient address rejected: Access denied', refused],
  ['RCPT TO', '550 No such user', refused],
  [
    'RCPT TO',
    '550 5.1.1 <ann@example.org>: Recipient address rejected: User unknown in relay recipient table',
    refused,
  ],
  ['RCPT TO', '550 5.1.1 sender@example.org has no mailbox here', refused],
  ['RCPT TO', '550 <sender@example.org>: No such user', refused],
  ['RCPT TO', '550 No such user relay@example.org', refused],
  ['RCPT TO', '554 5.7.1 <relay@example.org>: Refused', refused],
  ['RCPT TO', '550 5.2.1 Mailbox of this sender disabled', refused],
  ['RCPT TO', '551 5.1.6 User has moved', refused],
  ['RCPT TO', '553 5.1.3 Mailbox name not allowed', refused],
  ['RCPT TO', '554 5.7.1 Refused', refused],
  ['RCPT TO', '556 5.1.10 Domain does not accept mail', refused],
  ['RCPT TO', '552 5.5.3 Too many recipients', later],
  ['RCPT TO', '554 5.7.1 <ann@example.org>: Relay access denied', settings],
  ['RCPT TO', '550 5.7.1 Unable to relay', settings],
  ['RCPT TO', '550 relay not permitted', settings],
  // The content.
  ['DATA', '550 5.6.0 Invalid content', refused],
  ['DATA', '552 5.3.4 Message too big', refused],
  ['DATA', '554 5.7.1 Spam', refused],
  ['DATA', '554 5.6.0 Message contains a virus', refused],
])('%s: %s → %s', (command, response, code) => {
  const responseCode = Number(response.slice(0, 3))
  expect(sendingErrorCode({ command, responseCode, response })).toBe(code)
})

test('a connection that fails without a reply is no refusal', () => {
  expect(sendingErrorCode({ command: 'CONN' })).toBe('mail.not-sent')
})
