/** The keys of an application's configuration as types. */
import { knownEnvironments } from './environment.ts'
import type { Entry } from './key-tree.ts'
import { readTree, withoutEnvironments } from './load.ts'
import type { ConfigurationSource } from './load.ts'
import { settingRows } from './settings.ts'
import type { SettingsSchema } from './settings.ts'

/** Filled by the generated `.fw/config.ts` of an application; while empty, any text is a key. */
export interface ConfigKeys {}

/** A key that the application's configuration has, or any text as long as none are known. */
export type ConfigKey = keyof ConfigKeys extends never ? string : keyof ConfigKeys & string

/**
 * TypeScript text for `.fw/config.ts`, that makes the keys of `application.yml`, in any environment, and those of
 * `schema` the only ones that `FwConfig` accepts.
 *
 * @throws `config.invalid` when the file cannot be read
 */
export function generateConfigKeys(
  source: ConfigurationSource,
  schema: SettingsSchema = {},
): string {
  const keys = new Set<string>()
  const tree = readTree(source)
  for (const name of [undefined, ...knownEnvironments, source.env]) {
    const section =
      name === undefined ? withoutEnvironments(tree, source.env) : tree.entries.get(name)
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
