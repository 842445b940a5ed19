/** Chooses language, region and time zone of a response: those of the visitor's session, else by `Accept-Language`, else the defaults. */
import { addVary, type HttpRequest, type HttpResponse } from '../http.ts'
import { isTimeZone, negotiateLocale, regionalLocale, type MessageCatalog } from '../i18n.ts'
import type { Session } from '../session.ts'

/** The name of the session attribute that stores the language that the visitor chose. */
export const localeAttribute = 'locale'

/** The name of the session attribute that stores the time zone that the visitor chose. */
export const timeZoneAttribute = 'timeZone'

/** Returns a text that the visitor chose before. */
function readChoice(session: Session | undefined, name: string): string | undefined {
  // Reading an attribute forbids shared caches to store the response, so an empty session is not read.
  const isEmpty = session === undefined || (session.isNew && !session.isBeginning)
  const chosen = isEmpty ? undefined : session.get(name)
  return typeof chosen === 'string' ? chosen : undefined
}

/** Returns the time zone of the visitor's session; `undefined` if there is none. */
export function chosenTimeZone(session: Session | undefined): string | undefined {
  const chosen = readChoice(session, timeZoneAttribute)
  return chosen !== undefined && isTimeZone(chosen) ? chosen : undefined
}

/** Returns the locale of the response, and adds `Vary: Accept-Language` if the header determines it. */
export function chooseLocale(
  messages: MessageCatalog,
  session: Session | undefined,
  http: HttpRequest,
  response: HttpResponse,
): string {
  const chosen = readChoice(session, localeAttribute)
  if (chosen !== undefined) return chosen
  const { locales, defaultLocale } = messages
  if (locales.length > 1) addVary(response.headers, 'Accept-Language')
  return negotiateLocale(http.header('accept-language'), locales, defaultLocale)
}

/**
 * Returns the locale of numbers and dates beside texts in `locale`, and adds `Vary: Accept-Language` if the header determines it. A
 * region that the visitor chose precedes that of the header.
 */
export function chooseFormatLocale(
  locale: string,
  session: Session | undefined,
  http: HttpRequest,
  response: HttpResponse,
): string {
  if (readChoice(session, localeAttribute)?.includes('-') === true) return locale
  addVary(response.headers, 'Accept-Language')
  return regionalLocale(http.header('accept-language'), locale)
}
