/** i18n: the messages of an application in each locale. */
export { MessageCatalog, reportMissing } from './i18n/catalog.ts'
export { I18n } from './i18n/reader.ts'
export { negotiateLocale } from './i18n/locale.ts'
export { generateMessageKeys } from './i18n/message-keys.ts'
export type {
  MessageDate,
  MessageKeys,
  MessageNumber,
  MessageText,
  MessageValue,
} from './i18n/message-keys.ts'
