/** The public interface `fwjs/mail`: mails with typed templates, which jobs send. */
export { mailer } from './runtime/mail.ts'
