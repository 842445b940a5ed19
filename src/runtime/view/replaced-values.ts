/** Reports the values that a template replaced because they are unsafe in their place. */
import { channel } from 'node:diagnostics_channel'
import { relative } from 'node:path'
import type { Logger } from '../base.ts'
import { mapTemplateError } from './map-template-error.ts'
import type { Printable } from './printable.ts'

/** The kinds of replacements, each with the remedy. */
const kinds = {
  url: {
    what: 'a URL',
    remedy:
      'its scheme is not http, https, mailto or tel; use safeUrl for a URL that the application has made',
  },
  style: { what: 'a style', remedy: 'print a colour, a length, a name or another value of CSS' },
  attribute: { what: 'a tag', remedy: 'only names of attributes without a value are safe' },
  sourceSet: { what: 'a srcset', remedy: 'descriptors are numbers such as 2x and 100w' },
} as const

/** The event of the channel `fw:view:replaced`. */
interface ReplacedValue {
  readonly kind: keyof typeof kinds
  readonly value: Printable
  readonly replacement: string
  /** An error whose stack contains the place in the template. */
  readonly place: Error
}

/** The channel that publishes each replaced value. Without a subscriber, a replacement costs nothing more. */
const replacedChannel = channel('fw:view:replaced')

/** Returns the replacement of an unsafe value, and publishes the event. */
export function replaceValue(
  kind: ReplacedValue['kind'],
  value: Printable,
  replacement: string,
): string {
  if (replacedChannel.hasSubscribers) {
    const event: ReplacedValue = { kind, value, replacement, place: new Error(replacement) }
    replacedChannel.publish(event)
  }
  return replacement
}

const longestValue = 80

/**
 * Logs each place of a template that replaces a value. Logs a place in a loop once for each rendering, which runs in one
 * turn of the event loop. Places are relative to `root`. Call the returned function to end.
 */
export function logReplacedValues(root: string, logger: Logger): () => void {
  const logged = new Set<string>()
  const log = (event: unknown): void => {
    const { kind, value, replacement, place } = event as ReplacedValue
    // The proof of the escaping replaces values too, outside of templates.
    if (place.stack?.includes('.ssp') !== true) return
    const found = mapTemplateError(place)
    if (found === undefined) return
    const view = `${relative(root, found.path).replaceAll('\\', '/')}:${found.line}:${found.column}`
    if (logged.has(view)) return
    if (logged.size === 0) setImmediate(() => logged.clear())
    logged.add(view)
    const { what, remedy } = kinds[kind]
    logger.warn(
      { view, value: String(value).slice(0, longestValue) },
      `${what} printed '${replacement}' instead of the value: ${remedy}`,
    )
  }
  replacedChannel.subscribe(log)
  return () => void replacedChannel.unsubscribe(log)
}
