/** mail: composes mails from templates, and sends them to a mail server or keeps them in a mailbox. */
export { formatAddress, type MailAddress, type NamedAddress } from './mail/address.ts'
export type { MailHelper, MailUrls } from './mail/mail-helper.ts'
export { FolderMailbox, MemoryMailbox, type MailSummary } from './mail/mailbox.ts'
export {
  currentMailService,
  findMailService,
  MailService,
  openMailService,
} from './mail/mail-service.ts'
export { mailer, type MailContext, type Mailer } from './mail/mailer.ts'
export type { Mail, MailAttachment, MailFile, MailMessage, MailName } from './mail/message.ts'
export { mailSettings, type MailSettings } from './mail/settings.ts'
export { checkMailPackage, SmtpTransport } from './mail/smtp-transport.ts'
export { MailError, type Delivery, type MailTransport } from './mail/transport.ts'
