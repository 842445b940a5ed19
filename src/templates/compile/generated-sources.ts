/** Generates the modules that the type check of an application's code needs: its views, message keys and settings. */
import { join } from 'node:path'
import {
  generateConfigKeys,
  previewConfiguration,
  type ConfigProblem,
} from '../../runtime/config.ts'
import { generateMessageKeys, MessageCatalog } from '../../runtime/i18n.ts'
import { writeIfChanged } from '../../runtime/view.ts'
import { generateViews } from './generate-views.ts'
import { applicationSettings } from '../../runtime/app.ts'

/**
 * Writes all generated modules into `.fw`. Does not write unchanged files. An error in a template is reported when the
 * view is rendered; `fw check` reports all of them.
 * @throws FwError `config.invalid`, `i18n.invalid`
 */
export function generateSources(root: string): void {
  generateViews({ root })
  generateKeys(root)
}

/**
 * Writes `.fw/messages.ts` and `.fw/config.ts`, which make an unknown key a type error. Returns the problems in message
 * texts.
 * @throws FwError `config.invalid`, `i18n.invalid` for files that cannot be read
 */
export function generateKeys(root: string): readonly ConfigProblem[] {
  const source = { root }
  const keys = generateConfigKeys(source, applicationSettings)
  writeIfChanged(join(root, '.fw/config.ts'), keys)
  const defaultLocale = previewConfiguration(source).string('i18n.defaultLocale')
  const catalog = MessageCatalog.load(join(root, 'src/main/resources'), { defaultLocale })
  writeIfChanged(join(root, '.fw/messages.ts'), generateMessageKeys(catalog))
  return catalog.problems()
}
