/** The files of an application's messages. */
import { findTextLanguage } from './message-texts.ts'
import type { Project } from './project.ts'

export const messagesFolder = 'src/main/resources'

/** A file of messages; its language has the form `de` or `pt_BR`. */
export interface MessageFile {
  readonly path: string
  readonly language: string
  /** Whether the file contains the texts of the default language. */
  readonly isDefault: boolean
}

/** The language of `messages.yml`. */
const defaultLanguage = (project: Project): string =>
  /^ +defaultLocale: *([a-z]{2,3})\b/m.exec(
    project.read(`${messagesFolder}/application.yml`) ?? '',
  )?.[1] ?? 'en'

/** Lists the files. The first one is that of the default language, even if it does not exist. */
export const listMessageFiles = (project: Project): readonly MessageFile[] => [
  { path: `${messagesFolder}/messages.yml`, language: defaultLanguage(project), isDefault: true },
  ...project.list(messagesFolder).flatMap((file) => {
    const language = /^messages_(\w+)\.yml$/.exec(file)?.[1]
    if (language === undefined) return []
    return [{ path: `${messagesFolder}/${file}`, language, isDefault: false }]
  }),
]

/** A file of messages to which generators add texts, and the language of these texts. */
export interface TextFile {
  readonly path: string
  readonly textLanguage: string
  /** Whether the file contains the texts of the default language. */
  readonly isDefault: boolean
}

/**
 * Lists the files to which generators add texts: the default one, and the translations into languages that generators have. The
 * file of a region needs no texts beside the file of its language.
 */
export function listTextFiles(project: Project): readonly TextFile[] {
  const files = listMessageFiles(project)
  const languages = new Set(files.map(({ language }) => language))
  return files.flatMap(({ path, language, isDefault }): readonly TextFile[] => {
    const known = findTextLanguage(language)
    if (isDefault) return [{ path, textLanguage: known ?? 'en', isDefault }]
    if (known === undefined || (known !== language && languages.has(known))) return []
    return [{ path, textLanguage: known, isDefault }]
  })
}
