/** Adds links to a resource to the layout's navigation and to the front page, and removes them. */
import { fillTemplate } from './fill-template.ts'
import { editText, planEdit, type Direction, type GeneratedFile, type Project } from './project.ts'
import { messageKey, type ResourceNames } from './resource-names.ts'

const layout = 'src/main/webapp/WEB-INF/layouts/default.ssp'
const frontPage = 'src/main/webapp/WEB-INF/views/root/index.html.ssp'

function link(names: ResourceNames): string {
  const url = `\${s.url(routes.${names.resources.camel}.indexUrl)}`
  return `<a href="${url}">\${s.i18n.get('${messageKey(names)}.view.list')}</a>`
}

/** Adds the resource's link to the layout's navigation, or removes it. Skips nested resources. */
export function editNavigation(
  project: Project,
  names: ResourceNames,
  direction: Direction,
): readonly GeneratedFile[] {
  if (names.resources.parent !== undefined) return []
  return planEdit(project, layout, (text) =>
    editText(text, `${link(names)}\n`, direction, '</nav>'),
  )
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
  if (names.resources.parent !== undefined) return []
  const initial = fillTemplate(`application/${frontPage}`, {})
  const empty = fillTemplate('small/front-page.html.ssp', { links: '' })
  return planEdit(project, frontPage, (current) => {
    const start = current === initial ? empty : current
    if (!start.includes('<ul class="resources">')) return undefined
    const text = editText(start, `<li>${link(names)}</li>\n`, direction, '</ul>')
    return text === empty ? initial : text
  })
}
