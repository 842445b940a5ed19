/** Changes the dependencies in `package.json`. */
import type { GeneratedFile, Project } from './project.ts'

/** The note of a generator that has changed the dependencies. */
export const installNote =
  'The dependencies in package.json have changed. The next command of ./fw installs them.'

type Section = 'dependencies' | 'devDependencies'

/**
 * Sets the versions of the packages in `wanted`, and removes those of `known` that are not in it. The names are in alphabetical
 * order. Returns no file if nothing changes.
 */
export function editPackages(
  project: Project,
  section: Section,
  known: readonly string[],
  wanted: Readonly<Record<string, string>>,
): readonly GeneratedFile[] {
  const path = 'package.json'
  const before = project.read(path) ?? '{}'
  const manifest = JSON.parse(before) as { readonly [name in Section]?: Record<string, string> }
  const all = Object.entries({ ...manifest[section], ...wanted })
    .filter(([name]) => name in wanted || !known.includes(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const changed = { ...manifest, [section]: Object.fromEntries(all) }
  const text = `${JSON.stringify(changed, null, 2)}\n`
  return text === before ? [] : [{ path, text, kind: 'edit' }]
}
