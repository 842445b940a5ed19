/** Adds links to a resource to the layout's navigation and to the front page, and removes them. */
import { fillTemplate } from './fill-template.ts'
import type { Direction, GeneratedFile, Project } from './project.ts'
import { messageKey, type ResourceNames } from './resource-names.ts'

const layout = 'src/main/webapp/WEB-INF/layouts/default.ssp'
const frontPage = 'src/main/webapp/WEB-INF/views/root/index.html.ssp'

function link(names: ResourceNames): string {
  const url = `\${s.url(routes.${names.resources.camel}.indexUrl)}`
  return `<a href="${url}">\${s.i18n.get('${messageKey(names)}.view.list')}</a>`
}

/** Inserts the line before `end`, or removes it. Returns `undefined` if nothing changes. */
function editLine(
  text: string,
  line: string,
  end: string,
  direction: Direction,
): string | undefined {
  const isThere = text.includes(line)
  if (direction === 'remove') return isThere ? text.replace(line, '') : undefined
  const at = text.indexOf(end)
  return isThere || at < 0 ? undefined : text.slice(0, at) + line + text.slice(at)
}

/**
 * Adds the resource's link to the layout's navigation, or removes it. Skips nested resources and layouts without a navigation.
 */
export function editNavigation(
  project: Project,
  names: ResourceNames,
  direction: Direction,
): readonly GeneratedFile[] {
  const current = project.read(layout)
  if (names.resources.parent !== undefined || current === undefined) return []
  const text = editLine(current, `${link(names)}\n`, '</nav>', direction)
  return text === undefined ? [] : [{ path: layout, text, kind: 'edit' }]
}

/**
 * Adds the resource's link to the front page, or removes it. The first link replaces the hints of a new application. A page
 * without the list of resources stays unchanged.
 */
export function editFrontPage(
  project: Project,
  names: ResourceNames,
  direction: Direction,
): readonly GeneratedFile[] {
  const initial = fillTemplate(`application/${frontPage}`, {})
  const empty = fillTemplate('small/front-page.html.ssp', { links: '' })
  const current = project.read(frontPage)
  if (names.resources.parent !== undefined || current === undefined) return []
  const start = current === initial ? empty : current
  if (!start.includes('<ul class="resources">')) return []
  const text = editLine(start, `<li>${link(names)}</li>\n`, '</ul>', direction)
  if (text === undefined) return []
  return [{ path: frontPage, text: text === empty ? initial : text, kind: 'edit' }]
}
