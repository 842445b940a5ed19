/** Counts the messages of each language that are missing, not translated, or unused. */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import {
  previewConfiguration,
  readKeyFiles,
  iterateLeaves,
  type Section,
} from '../../runtime/config.ts'
import { canonicalLocale, MessageCatalog } from '../../runtime/i18n.ts'
import type { ViewDiagnostic } from '../../templates/check.ts'
import { count } from './terminal.ts'
import { UsedMessages } from './used-messages.ts'

/** What a file of messages lacks, and what it has too much. */
export interface MessageReport {
  /** The path of the file in the application. */
  readonly file: string
  readonly locale: string
  /** The keys of the default language that the file does not have. */
  readonly missing: readonly string[]
  /** The keys whose texts have the comment of an untranslated text, and the line of the first one. */
  readonly untranslated: readonly string[]
  readonly firstUntranslated: number
  /** The keys that no code uses; empty if code computes keys of which no part is known. */
  readonly unused: readonly string[]
}

const untranslatedComment = /\s#\s*untranslated\s*$/

/** Reads the files of messages. @throws FwError `config.invalid`, `i18n.invalid` for files that cannot be read */
export function reportMessages(root: string): readonly MessageReport[] {
  const folder = join(root, 'src/main/resources')
  const defaultLocale = previewConfiguration({ root }).string('i18n.defaultLocale')
  const catalog = MessageCatalog.load(folder, { defaultLocale })
  const used = new UsedMessages(root)
  return [...readKeyFiles(folder, 'messages')].map(([suffix, section]) => {
    const locale = suffix === '' ? catalog.defaultLocale : canonicalLocale(suffix)!
    const isDefault = suffix === '' || locale === catalog.defaultLocale
    const { file, keys, marked } = readSection(root, section)
    return {
      file,
      locale,
      missing: isDefault ? [] : catalog.missingKeys(locale),
      untranslated: marked.map(({ key }) => key),
      firstUntranslated: marked[0]?.line ?? 1,
      unused: used.isComplete ? keys.filter((key) => !used.has(key)) : [],
    }
  })
}

function readSection(root: string, section: Section) {
  const { file } = section.origin
  const lines = readFileSync(file, 'utf8').split('\n')
  const leaves = [...iterateLeaves(section)]
  return {
    file: relative(root, file).replaceAll('\\', '/'),
    keys: leaves.map(([key]) => key),
    marked: leaves
      .filter(([, { origin }]) => untranslatedComment.test(lines[origin.line - 1] ?? ''))
      .map(([key, { origin }]) => ({ key, line: origin.line })),
  }
}

/** The number of keys that a hint lists. */
const maxListed = 5

function listKeys(keys: readonly string[]): string {
  const more = keys.length - maxListed
  return keys.slice(0, maxListed).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Returns hints for `fw check`: one for each kind of gap in a file. */
export const messageHints = (root: string): readonly ViewDiagnostic[] =>
  reportMessages(root).flatMap(
    ({ file, locale, missing, untranslated, firstUntranslated, unused }) => {
      const hint = (code: string, keys: readonly string[], text: string, line = 1) =>
        keys.length === 0
          ? []
          : [
              {
                file,
                line,
                column: 1,
                code,
                message: `${count(keys.length, 'message')} ${text}: ${listKeys(keys)}`,
                severity: 'hint' as const,
              },
            ]
      return [
        ...hint('i18n.missing', missing, `missing in ${locale}, which fw g language adds`),
        ...hint('i18n.untranslated', untranslated, 'not translated', firstUntranslated),
        ...hint('i18n.unused', unused, 'unused'),
      ]
    },
  )
