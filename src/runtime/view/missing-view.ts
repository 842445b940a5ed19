/** Creates the errors for missing views and layouts. */
import { FwError } from '../base.ts'
import type { ViewEngine, ViewFormat } from './engine.ts'

/** Returns the error for a missing view, with the closest names. @spec Decisions › 28 */
export function viewNotFound(engine: ViewEngine, view: string, format: ViewFormat): FwError {
  const near = closestNames(view, engine.names(format))
  const hint =
    near.length === 0 ? '' : ` Did you mean ${near.map((name) => `'${name}'`).join(' or ')}?`
  return new FwError(
    'view.not-found',
    `There is no view '${view}': expected ${engine.expectedFile(view, format)}.${hint}`,
  )
}

export function fragmentNotFound(engine: ViewEngine, name: string): FwError {
  const near = closestNames(name, engine.fragmentNames())
  const hint =
    near.length === 0 ? '' : ` Did you mean ${near.map((one) => `'${one}'`).join(' or ')}?`
  return new FwError(
    'view.not-found',
    `There is no partial or view '${name}': expected ${engine.expectedFile(name, 'html')}.${hint}`,
  )
}

export function layoutNotFound(layout: string): FwError {
  return new FwError(
    'view.layout-not-found',
    `There is no layout '${layout}': expected WEB-INF/layouts/${layout.replace(/\.(?:ssp|jade)$/, '')}.ssp (or .jade).`,
  )
}

/** Returns the names closest to `name`, at most three. */
export function closestNames(name: string, names: readonly string[]): string[] {
  const limit = Math.max(2, Math.floor(name.length / 4))
  return names
    .map((other) => ({ other, far: distance(name.replace(/^\/*/, '/'), other) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ other }) => other)
}

/** Returns the Levenshtein distance of two texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
