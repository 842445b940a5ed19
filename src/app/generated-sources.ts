/** Generates what the compiler has to know of an application beside its code: views, message keys, settings. */
import { join } from 'node:path'
import { generateConfigKeys, previewConfiguration, type ConfigProblem } from '../config.ts'
import { generateMessageKeys, MessageCatalog } from '../i18n.ts'
import { generateViews, writeIfChanged } from '../view.ts'
import { applicationSettings } from './settings.ts'

/**
 * Writes `.fw`: the views' modules, and the keys that `generateKeys` writes. Files that would stay the same are not
 * touched. Mistakes in templates wait for who renders them; `fw check` tells them all.
 * @throws FwError `config.invalid`, `i18n.invalid`
 */
export function generateSources(root: string): void {
  generateViews({ root })
  generateKeys(root)
}

/**
 * Writes `.fw/messages.ts` and `.fw/config.ts`, by which keys that no file has do not compile. Answers what is wrong
 * with the texts of messages.
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
