/** Generates the TypeScript that an application's code is checked against: views, message keys, settings. */
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
 * Writes `.fw`: the modules of views, and the keys of `generateKeys`. Unchanged files are not written. Errors in templates
 * are reported when a view is rendered, and all of them by `fw check`.
 * @throws FwError `config.invalid`, `i18n.invalid`
 */
export function generateSources(root: string): void {
  generateViews({ root })
  generateKeys(root)
}

/**
 * Writes `.fw/messages.ts` and `.fw/config.ts`, with which an unknown key is a type error. Returns the problems of the
 * message texts.
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
