/** Generates a type with the keys of an application's configuration. */
import { knownEnvironments } from './environment.ts'
import type { Entry } from './key-tree.ts'
import { omitEnvironments, readTree, type ConfigurationSource } from './load-configuration.ts'
import { settingRows, type SettingsSchema } from './settings.ts'

/** The known configuration keys. The generated file `.fw/config.ts` of an application adds members to this interface. */
export interface ConfigKeys {}

/** A key of the application's configuration; any string until the keys are generated. */
export type ConfigKey = keyof ConfigKeys extends never ? string : keyof ConfigKeys & string

/**
 * Generates the TypeScript of `.fw/config.ts`, with which `FwConfig` accepts only known keys: those of `application.yml` in any
 * environment, and those of `schema`.
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
