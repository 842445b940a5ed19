/** The previews of the mails about accounts, which `fw run` shows at /_fw/mail. */
import { AccountMail } from '#main/mail/account-mail'

const ann = { email: 'ann@example.com', locale: 'en' }

export const previews = {
  'the link to a new account': () => AccountMail.render({ kind: 'register', ...ann }),
  'a changed password': () => AccountMail.render({ kind: 'passwordChanged', ...ann }),
}
