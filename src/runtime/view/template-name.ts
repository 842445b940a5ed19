/** Converts between the names of views and layouts and the paths of their templates. */
import type { ViewFormat } from './engine.ts'

const viewFile = /^views\/(.+)\.(html|json|xml|txt)\.(?:ssp|jade)$/
const layoutFile = /^layouts\/(.+?)\.(?:ssp|jade)$/
const mailFile = /^mail\/(layouts\/)?(.+)\.(html|txt)\.ssp$/
const hiddenSegment = /(^|\/)[._]/

/** The name of a template, parsed from its path below `WEB-INF/`. */
export interface TemplateName {
  readonly kind: 'view' | 'partial' | 'layout'
  /**
   * The name: `/members/index` or `/members/index.json` for a view or partial, `default` for a layout, and `welcome` for both
   * bodies of a mail.
   */
  readonly name: string
  readonly format: ViewFormat
  /** True for a template of mails, in the folder `mail/`. */
  readonly isMail: boolean
}

/** Parses the path of a template; `undefined` for other files. */
export function templateName(file: string): TemplateName | undefined {
  const layout = layoutFile.exec(file)
  if (layout) return { kind: 'layout', name: layout[1]!, format: 'html', isMail: false }
  const mail = mailFile.exec(file)
  if (mail) {
    const name = mail[2]!
    const kind = mail[1] !== undefined ? 'layout' : hiddenSegment.test(name) ? 'partial' : 'view'
    return { kind, name, format: mail[3] as ViewFormat, isMail: true }
  }
  const view = viewFile.exec(file)
  if (!view) return undefined
  const format = view[2] as ViewFormat
  const name = '/' + view[1]! + (format === 'html' ? '' : '.' + format)
  return { kind: hiddenSegment.test(view[1]!) ? 'partial' : 'view', name, format, isMail: false }
}

/** Returns the path of a view for `render`; `undefined` for partials, hidden files and paths with `..`. */
export function viewFileOf(view: string, format: ViewFormat): string | undefined {
  let path = view.replace(/\/+/g, '/').replace(/^\/|\/$/g, '')
  if (path.endsWith('.' + format)) path = path.slice(0, -format.length - 1)
  if (path === '' || hiddenSegment.test(path) || /[\\\0]/.test(path)) return undefined
  return `views/${path}.${format}.ssp`
}

/** Returns the path of a partial or view for `renderFragment`; `undefined` for paths with `..`. */
export function fragmentFileOf(name: string): string | undefined {
  const path = name.replace(/\/+/g, '/').replace(/^\/|\/$/g, '')
  if (path === '' || /(^|\/)\.|[\\\0]/.test(path)) return undefined
  return `views/${path}.html.ssp`
}

/** Returns the path of a layout, with or without its ending; `undefined` for hidden files and paths with `..`. */
export function layoutFileOf(layout: string): string | undefined {
  const path = layout.replace(/^\/+/, '').replace(/\.(?:ssp|jade)$/, '')
  if (path === '' || hiddenSegment.test(path) || /[\\\0]/.test(path)) return undefined
  return `layouts/${path}.ssp`
}

/** Returns the path of a body of a mail; `undefined` for partials, layouts, hidden files and paths with `..`. */
export function mailFileOf(mail: string, format: ViewFormat): string | undefined {
  const file = `mail/${mail}.${format}.ssp`
  const isMail = templateName(file)?.kind === 'view' && !/[\\\0]|\/\//.test(mail)
  return isMail ? file : undefined
}

/** Returns the path of a layout of mails; `undefined` for hidden files and paths with `..`. */
export function mailLayoutFileOf(layout: string, format: ViewFormat): string | undefined {
  if (layout === '' || hiddenSegment.test(layout) || /[\\\0]/.test(layout)) return undefined
  return `mail/layouts/${layout}.${format}.ssp`
}

/** Returns true for a template that pug compiles. */
export const isJade = (file: string): boolean => file.endsWith('.jade')

/**
 * Returns the path of the module of a streamed page, below `.fw`. `tsc` skips folders whose names begin with a dot, so
 * that it checks the code of a template only once.
 */
export const streamedFile = (file: string): string => `.streamed/${file}.ts`
