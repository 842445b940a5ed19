/** Where in a template an error comes from, with the source line, for whoever develops the application. */
import { mapTemplateError } from './map-template-error.ts'
import { readText } from './template-files.ts'
import { sourceFrame, TemplateError } from './template-source.ts'

/** A mistake in a template, or an error that was thrown while one ran. */
export interface TemplateFault {
  /** `WEB-INF/views/members/index.html.ssp:8:32` */
  readonly place: string
  /** What went wrong, without the place. */
  readonly reason: string
  /** The source line with a caret below the column. */
  readonly frame: string
}

/** `undefined` when no template has a part in the error. */
export function templateFault(error: unknown): TemplateFault | undefined {
  if (error instanceof TemplateError) {
    const { file, line, column, reason, frame } = error
    return { place: `WEB-INF/${file}:${line}:${column}`, reason, frame }
  }
  const position = mapTemplateError(error)
  if (position === undefined) return undefined
  const { path, line, column } = position
  const place = `${path.slice(path.lastIndexOf('WEB-INF'))}:${line}:${column}`
  const frame = sourceFrame(readText(path) ?? '', position)
  return { place, reason: (error as Error).message, frame }
}
