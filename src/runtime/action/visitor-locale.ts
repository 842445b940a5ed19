/** Chooses the language of a response: that of the visitor's session, else by `Accept-Language`, else the default. */
import { addVary, type HttpRequest, type HttpResponse } from '../http.ts'
import { negotiateLocale, type MessageCatalog } from '../i18n.ts'
import type { Session } from '../session.ts'

/** The name of the session attribute that stores the language that the visitor chose. */
export const localeAttribute = 'locale'

/** Returns the locale of the response, and adds `Vary: Accept-Language` if the header determines it. */
export function chooseLocale(
  messages: MessageCatalog,
  session: Session | undefined,
  http: HttpRequest,
  response: HttpResponse,
): string {
  // Reading an attribute forbids shared caches to store the response, so an empty session is not read.
  const isEmpty = session === undefined || (session.isNew && !session.isBeginning)
  const chosen = isEmpty ? undefined : session.get(localeAttribute)
  if (typeof chosen === 'string') return chosen
  const { locales, defaultLocale } = messages
  if (locales.length > 1) addVary(response.headers, 'Accept-Language')
  return negotiateLocale(http.header('accept-language'), locales, defaultLocale)
}
