/** The keys of an application's configuration as types. */
import { knownEnvironments } from './environment.ts'
import type { Entry } from './key-tree.ts'
import { omitEnvironments, readTree, type ConfigurationSource } from './load-configuration.ts'
import { settingRows, type SettingsSchema } from './settings.ts'

/** Extended by the generated `.fw/config.ts` of an application. */
export interface ConfigKeys {}

/** A key of the application's configuration; any string until the keys are generated. */
export type ConfigKey = keyof ConfigKeys extends never ? string : keyof ConfigKeys & string

/**
 * The TypeScript of `.fw/config.ts`: `FwConfig` accepts the keys of `application.yml`, in any environment, and of `schema`.
 *
 * @throws `config.invalid` when the file cannot be read
 */
export function generateConfigKeys(
  source: ConfigurationSource,
  schema: SettingsSchema = {},
): string {
  const keys = new Set<string>()
  const tree = readTree(source)
  addKeys(omitEnvironments(tree, source.env), '', keys)
  for (const name of [...knownEnvironments, source.env]) {
    const section = name === undefined ? undefined : tree.entries.get(name)
    if (section !== undefined) addKeys(section, '', keys)
  }
  for (const { key } of settingRows(schema)) if (!key.includes('*')) keys.add(key)
  const lines = [...keys].sort().map((key) => `    ${JSON.stringify(key)}: true\n`)
  return `declare module 'fwjs' {\n  interface ConfigKeys {\n${lines.join('')}  }\n}\n\nexport {}\n`
}

function addKeys(entry: Entry, prefix: string, keys: Set<string>): void {
  if (entry.kind !== 'section') return
  for (const [name, member] of entry.entries) {
    keys.add(prefix + name)
    addKeys(member, `${prefix}${name}.`, keys)
  }
}
