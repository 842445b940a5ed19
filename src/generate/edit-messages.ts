/** Adds a resource's texts to the file of messages, and takes them out. */
import { parseDocument, isMap, stringify } from 'yaml'

/** Texts by key; a nested key is a map of its own. */
export interface Messages {
  readonly [key: string]: string | Messages
}

const written = (messages: Messages): string =>
  stringify(messages, { lineWidth: 0, singleQuote: true })

/** Behind the file's last line; where the key is there already, only the texts that it lacks. */
export function addMessages(text: string, key: string, messages: Messages): string {
  const document = parseDocument(text)
  if (document.errors.length > 0) return text
  if (!document.has(key)) {
    const before = text === '' || text.endsWith('\n') ? text : `${text}\n`
    return before + written({ [key]: messages })
  }
  let changed = false
  const add = (path: readonly string[], value: string | Messages): void => {
    const known: unknown = document.getIn(path)
    if (known === undefined || known === null) {
      document.setIn(path, value)
      changed = true
    } else if (typeof value !== 'string' && isMap(known))
      for (const [name, inner] of Object.entries(value)) add([...path, name], inner)
  }
  add([key], messages)
  return changed ? document.toString({ lineWidth: 0 }) : text
}

/** Takes out what `addMessages` added, as long as nobody changed it. */
export function removeMessages(text: string, key: string, messages: Messages): string {
  const block = written({ [key]: messages })
  const at = text.startsWith(block) ? 0 : text.indexOf(`\n${block}`) + 1
  const isThere = text.startsWith(block) || text.includes(`\n${block}`)
  const next = text[at + block.length]
  const isWhole = next === undefined || /[^\s#]/.test(next)
  return isThere && isWhole ? text.slice(0, at) + text.slice(at + block.length) : text
}
