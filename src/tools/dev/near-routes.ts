/** Finds routes that are similar to a path without a route, for the 404 page of `fw run`. */
import { editDistance } from '../../runtime/base.ts'
import { escapeXml as escape } from '../../runtime/http.ts'

interface RoutePath {
  readonly method: string
  readonly path: string
}

const maxShown = 5
/** The maximum length of a path that is compared with routes. */
const maxLength = 256
const optionalSlash = /\/\?$/
const segmentsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')

/** Counts the edits between a path and a pattern. A parameter matches any segment; a missing segment costs its length. */
function distance(path: readonly string[], pattern: readonly string[]): number {
  const count = Math.max(path.length, pattern.length)
  let sum = 0
  for (let at = 0; at < count; at++) {
    const [given = '', expected = ''] = [path[at], pattern[at]]
    const isParameter = /^[:*]/.test(expected) && given !== ''
    if (!isParameter) sum += editDistance(given.toLowerCase(), expected.toLowerCase())
  }
  return sum
}

/**
 * Returns at most five routes, such as `GET /members/:id`, the most similar first. Equally similar routes with the request's
 * method precede others. A path may differ from the route by at most one edit for every two characters.
 */
export function nearRoutes(
  { method, path }: RoutePath,
  routes: readonly RoutePath[],
): readonly string[] {
  if (path.length > maxLength) return []
  const segments = segmentsOf(path)
  const near = routes
    .map((route) => ({ ...route, path: route.path.replace(optionalSlash, '') || '/' }))
    .map((route) => ({ route, edits: distance(segments, segmentsOf(route.path)) }))
    .filter(({ edits }) => edits <= Math.max(2, path.length / 2))
    .toSorted(
      (a, b) =>
        a.edits - b.edits || Number(b.route.method === method) - Number(a.route.method === method),
    )
  return [...new Set(near.map(({ route }) => `${route.method} ${route.path}`))].slice(0, maxShown)
}

/** Renders the HTML that `fw run` adds to the page for a 404. `matched` is the route whose action responded, if any. */
export function nearRoutesSection(
  request: string,
  near: readonly string[],
  matched?: string,
): string {
  const items = near.map((route) => `<li><code>${escape(route)}</code></li>`).join('')
  const list = near.length === 0 ? '' : `<p>Similar routes:</p><ul>${items}</ul>`
  const cause =
    matched === undefined
      ? `no route matches <code>${escape(request)}</code>`
      : `the route <code>${escape(matched)}</code> matches <code>${escape(request)}</code>, but its action found nothing there`
  return `<aside aria-label="Development"><hr><p>Development: ${cause}. <code>fw routes</code> lists all routes.</p>${list}</aside>`
}
