/** The front page of an application over an existing database: where its resources are. */
import type { Draft, Site } from './draft.ts'
import { fillTemplate } from './fill-template.ts'
import type { ResourceNames } from './resource-names.ts'

const path = 'src/main/webapp/WEB-INF/views/root/index.html.ssp'

const plainText = (): string => fillTemplate(`application/${path}`, {})

function listText(all: readonly ResourceNames[]): string {
  const links = all.map(({ resources, resource }) => {
    const url = `\${s.url(routes.${resources.camel}.indexUrl)}`
    return `<li><a href="${url}">\${s.i18n.get('${resource.camel}.view.list')}</a></li>`
  })
  return fillTemplate('small/front-page.html.ssp', { links: links.join('\n') })
}

const turned = (site: Site, from: string, to: string): readonly Draft[] =>
  site.read(path) === from ? [{ path, text: to, kind: 'edit' }] : []

/** A list of them in the place of the first words, as long as nobody changed those. */
export const listedFrontPage = (site: Site, all: readonly ResourceNames[]): readonly Draft[] =>
  turned(site, plainText(), listText(all))

/** The first words again, as long as nobody changed the list. */
export const plainFrontPage = (site: Site, all: readonly ResourceNames[]): readonly Draft[] =>
  turned(site, listText(all), plainText())
