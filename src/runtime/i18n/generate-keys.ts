/** Generates TypeScript declarations for the keys and arguments of an application's messages. */
import type { MessageCatalog } from './catalog.ts'
import type { Message } from './message.ts'
import type { ArgumentKind } from './icu-pattern.ts'

const types: Readonly<Record<ArgumentKind, string>> = {
  text: 'MessageValue',
  number: 'MessageNumber',
  date: 'MessageDate',
}

function argumentList(message: Message): string {
  // A text that is not an ICU message takes no arguments, because it is printed unchanged.
  const names = [...(message.arguments ?? [])]
  if (names.length === 0) return '[]'
  if (!names.every(([name]) => /^\d{1,2}$/.test(name))) {
    const members = names.map(([name, kind]) => `${JSON.stringify(name)}: ${types[kind]}`)
    return `[{ ${members.join('; ')} }]`
  }
  const kinds = new Map(names.map(([name, kind]) => [Number(name), kind]))
  const length = Math.max(...kinds.keys()) + 1
  return `[${Array.from({ length }, (_, at) => types[kinds.get(at) ?? 'text']).join(', ')}]`
}

/**
 * Generates the content of `.fw/messages.ts`. With that file, `I18n.get` accepts only the keys of the default locale,
 * and requires the arguments of each message.
 */
export function generateMessageKeys(catalog: MessageCatalog): string {
  const translations = catalog.translations()
  const lines = catalog.keys().map((key) => {
    return `    ${JSON.stringify(key)}: ${argumentList(translations.find(key)!)}\n`
  })
  const used = Object.values(types).filter((type) => lines.some((line) => line.includes(type)))
  const imports =
    used.length === 0 ? '' : `import type { ${used.join(', ')} } from 'fwjs/compiled'\n\n`
  const members = lines.join('')
  return `${imports}declare module 'fwjs' {\n  interface MessageKeys {\n${members}  }\n}\n\nexport {}\n`
}
