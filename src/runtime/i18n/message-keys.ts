/** The types of the keys and arguments of an application's messages, and the generator of their declarations. */
import type { MessageCatalog } from './catalog.ts'
import type { ArgumentKind, Message } from './message.ts'

/**
 * The message keys with the list of each message's arguments. The generated `.fw/messages.ts` declares the members of
 * this interface. Without members, `I18n.get` accepts any key.
 */
export interface MessageKeys {}

/** The argument of a plain placeholder. `String` converts it to text; `undefined` becomes an empty text. */
export type MessageValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | { toString(): string }
  | undefined

/** The argument of a number placeholder or a plural. */
export type MessageNumber = number | bigint

/** A key of the application's messages. Any string is accepted while `MessageKeys` declares no keys. */
export type MessageKey = keyof MessageKeys extends never ? string : keyof MessageKeys & string

/** A key whose message takes no arguments. */
export type KeyWithoutArguments = {
  [K in keyof MessageKeys]: MessageKeys[K] extends readonly [] ? K : never
}[keyof MessageKeys]

/** The arguments of the message with the key `K`. */
export type MessageArguments<K> = K extends keyof MessageKeys
  ? MessageKeys[K] extends readonly unknown[]
    ? MessageKeys[K]
    : never
  : readonly unknown[]

/** The text of a message. It is `undefined` for an unknown key, which is possible only while `MessageKeys` declares no keys. */
export type MessageText = keyof MessageKeys extends never ? string | undefined : string

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

/** Generates `.fw/messages.ts`, with which `I18n.get` accepts only the default locale's keys and their arguments. */
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
