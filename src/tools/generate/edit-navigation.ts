/** Adds links to a resource to the layout's navigation and to the front page, and removes them. */
import { editSections, removeTexts } from './edit-messages.ts'
import { fillTemplate } from './fill-template.ts'
import { listTextFiles } from './message-files.ts'
import { readAllTexts, type Texts } from './message-texts.ts'
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
  const before = project.read(frontPage)
  const edited = planEdit(project, frontPage, (current) => editLinks(current, names, direction))
  return [...edited, ...edited.flatMap(({ text }) => editHint(project, before!, text))]
}

const initialPage = (): string => fillTemplate(`application/${frontPage}`, {})

function editLinks(
  current: string,
  names: ResourceNames,
  direction: Direction,
): string | undefined {
  const initial = initialPage()
  const empty = fillTemplate('small/front-page.html.ssp', { links: '' })
  const start = current === initial ? empty : current
  if (!start.includes('<ul class="resources">')) return undefined
  const text = editText(start, `<li>${link(names)}</li>\n`, direction, '</ul>')
  return text === empty ? initial : text
}

/** Removes the text of the hint that the front page of a new application shows, or adds it again with the hint. */
function editHint(project: Project, before: string, after: string): readonly GeneratedFile[] {
  const initial = initialPage()
  const isShown = after === initial
  if (isShown === (before === initial)) return []
  return listTextFiles(project).flatMap(({ path, textLanguage }) => {
    const root = readAllTexts(textLanguage)['root'] as Texts
    const hint = { next: root['next']! }
    return planEdit(project, path, (text) => {
      if (!/^root:$/m.test(text)) return undefined
      return isShown ? editSections(text, [['root', hint]], 'add') : removeTexts(text, 'root', hint)
    })
  })
}
