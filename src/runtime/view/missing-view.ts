/** Creates the errors for missing views and layouts. */
import { editDistance, FwError } from '../base.ts'
import type { ViewEngine, ViewFormat } from './engine.ts'

/** Returns the error for a missing view, with the closest names. @spec Decisions › 28 */
export function viewNotFound(engine: ViewEngine, view: string, format: ViewFormat): FwError {
  return notFound(
    `view '${view}'`,
    engine.expectedFile(view, format),
    closestNames(view, engine.names(format)),
  )
}

export function fragmentNotFound(engine: ViewEngine, name: string): FwError {
  return notFound(
    `partial or view '${name}'`,
    engine.expectedFile(name, 'html'),
    closestNames(name, engine.fragmentNames()),
  )
}

export function mailNotFound(engine: ViewEngine, mail: string): FwError {
  const file = `WEB-INF/mail/${mail}.html.ssp or ${mail}.txt.ssp`
  return notFound(`mail '${mail}'`, file, closestNames(mail, engine.mailNames()))
}

function notFound(what: string, file: string, near: readonly string[]): FwError {
  const hint =
    near.length === 0 ? '' : ` Did you mean ${near.map((name) => `'${name}'`).join(' or ')}?`
  return new FwError('view.not-found', `There is no ${what}: expected ${file}.${hint}`)
}

export function mailLayoutNotFound(layout: string, format: ViewFormat): FwError {
  return new FwError(
    'view.layout-not-found',
    `There is no layout '${layout}' for mails: expected WEB-INF/mail/layouts/${layout}.${format}.ssp.`,
  )
}

export function layoutNotFound(layout: string): FwError {
  return new FwError(
    'view.layout-not-found',
    `There is no layout '${layout}': expected WEB-INF/layouts/${layout.replace(/\.(?:ssp|jade)$/, '')}.ssp (or .jade).`,
  )
}

const rooted = (name: string): string => name.replace(/^\/*/, '/')

/** Returns the names closest to `name`, at most three. */
export function closestNames(name: string, names: readonly string[]): string[] {
  const limit = Math.max(2, Math.floor(name.length / 4))
  return names
    .map((other) => ({ other, edits: editDistance(rooted(name), rooted(other)) }))
    .filter(({ edits }) => edits <= limit)
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 3)
    .map(({ other }) => other)
}
