/** Adds a link to a resource to the navigation of the layout, and removes it. */
import type { Direction, GeneratedFile, Project } from './project.ts'
import { messageKey, type ResourceNames } from './resource-names.ts'

const layout = 'src/main/webapp/WEB-INF/layouts/default.ssp'

/** A nested resource has no link, and neither has a layout without a navigation. */
export function editNavigation(
  project: Project,
  names: ResourceNames,
  direction: Direction,
): readonly GeneratedFile[] {
  const { parent, camel } = names.resources
  const current = project.read(layout)
  if (parent !== undefined || current === undefined) return []
  const url = `\${s.url(routes.${camel}.indexUrl)}`
  const link = `<a href="${url}">\${s.i18n.get('${messageKey(names)}.view.list')}</a>\n`
  const isThere = current.includes(link)
  if (direction === 'remove')
    return isThere ? [{ path: layout, text: current.replace(link, ''), kind: 'edit' }] : []
  const end = current.indexOf('</nav>')
  if (isThere || end < 0) return []
  return [{ path: layout, text: current.slice(0, end) + link + current.slice(end), kind: 'edit' }]
}
