/** The files of an application's messages. */
import type { Project } from './project.ts'

const folder = 'src/main/resources'

/** A file of messages; its language has the form `de` or `pt_BR`. */
export interface MessageFile {
  readonly path: string
  readonly language: string
  /** Whether the file contains the texts of the default language. */
  readonly isDefault: boolean
}

/** The language of `messages.yml`. */
const defaultLanguage = (project: Project): string =>
  /^ +defaultLocale: *([a-z]{2,3})\b/m.exec(project.read(`${folder}/application.yml`) ?? '')?.[1] ??
  'en'

export const listMessageFiles = (project: Project): readonly MessageFile[] =>
  project.list(folder).flatMap((file) => {
    const match = /^messages(?:_(\w+))?\.yml$/.exec(file)
    if (match === null) return []
    const language = match[1] ?? defaultLanguage(project)
    return [{ path: `${folder}/${file}`, language, isDefault: match[1] === undefined }]
  })
