/** i18n: the messages of an application in each locale. */
export { MessageCatalog, reportMissing } from './i18n/catalog.ts'
export { openMessages } from './i18n/current-messages.ts'
export { I18n, type FormatPreferences } from './i18n/reader.ts'
export { canonicalLocale, localeChain, negotiateLocale, regionalLocale } from './i18n/locale.ts'
export { isTimeZone } from './i18n/time-zone.ts'
export { generateMessageKeys } from './i18n/message-keys.ts'
export type { MessageDate } from './i18n/message-date.ts'
export type { MessageKeys, MessageNumber, MessageText, MessageValue } from './i18n/message-keys.ts'
