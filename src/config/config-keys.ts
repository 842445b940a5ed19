/** The keys of an application's configuration as types. */
import type { Entry, Section } from './key-tree.ts'

/** Filled by the generated `.fw/config.ts` of an application; while empty, any text is a key. */
export interface ConfigKeys {}

/** A key that the application's configuration has, or any text as long as none are known. */
export type ConfigKey = keyof ConfigKeys extends never ? string : keyof ConfigKeys & string

/**
 * TypeScript text that makes the keys of these sections, dotted, the only ones that `FwConfig` accepts.
 * Give it one section for each environment, so that a key of any of them is known.
 */
export function generateConfigKeys(sections: Iterable<Section>): string {
  const keys = new Set<string>()
  for (const section of sections) addKeys(section, '', keys)
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
