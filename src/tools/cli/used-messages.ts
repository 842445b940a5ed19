/**
 * Finds which messages the code of an application uses. A key that code computes from a known beginning or end counts as used;
 * so do the keys that Fw reads.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { extname, join } from 'node:path'

/** The folders with code that may use messages. */
const folders = ['src', 'scripts', 'db']
const codeFile = new Set(['.ssp', '.jade', '.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'])

/** Matches a name, or names that dots join, also with a dot at either end: `member.name`, `member.`, `.name`. */
const dotted = /[\p{L}\p{N}_.-]+/gu
/** Matches a text in quotes that consists of one name or one key. */
const quoted = /(['"`])([\p{L}\p{N}_.-]+)\1/gu
/** Matches a call with a key of which no part is known. */
const computed = /\bi18n\s*\??\.\s*(?:getOrKey|message)\(\s*(?!['"`\s])/u

/** The messages of a resource that Fw reads: `member.flash.created`, and its names, which `fw g language` reads. */
const resourceKey = /^(.+)\.(?:flash\.(?:created|updated|deleted|inUse)|view\.(?:list|detail))$/u
/** The label of a field, and of a value of an enum: `member.name`, `member.enum.status.open`. */
const labelKey = /^(.+?)\.(?:enum\.([^.]+)\.[^.]+|([^.]+))$/u
/** The sections and keys that Fw reads. */
const ownKey = /^(?:(?:error|repeat)\..+|year|month|day|hour|minute|second)$/u

export class UsedMessages {
  /** The names and keys in the code. */
  readonly #tokens = new Set<string>()
  readonly #words = new Set<string>()
  readonly #quoted = new Set<string>()
  readonly #starts = new Set<string>()
  readonly #ends = new Set<string>()
  #isComplete = true

  constructor(root: string) {
    for (const folder of folders) for (const text of readCode(join(root, folder))) this.#add(text)
  }

  /** False if code computes a key of which no part is known: then no key is certainly unused. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  #add(text: string): void {
    if (computed.test(text)) this.#isComplete = false
    for (const [, , name] of text.matchAll(quoted)) this.#quoted.add(name!)
    for (const { 0: token, index } of text.matchAll(dotted)) {
      this.#tokens.add(token)
      for (const word of token.split('.')) this.#words.add(word)
      if (token.endsWith('.') && token.length > 1) this.#starts.add(token)
      if (token.startsWith('.') && text[index - 1] === '}') this.#ends.add(token)
    }
  }

  has(key: string): boolean {
    if (this.#tokens.has(key) || ownKey.test(key)) return true
    if (!key.includes('.')) return this.#words.has(key)
    return this.#isComputed(key) || this.#isOfResource(key)
  }

  /** Whether the key has a beginning or an end to which code adds the rest. */
  #isComputed(key: string): boolean {
    for (let at = key.indexOf('.'); at !== -1; at = key.indexOf('.', at + 1))
      if (this.#starts.has(key.slice(0, at + 1)) || this.#ends.has(key.slice(at))) return true
    return false
  }

  /** Whether Fw reads the key, because code contains the name of its section in quotes, such as `resourceName: 'member'`. */
  #isOfResource(key: string): boolean {
    const resource = resourceKey.exec(key)?.[1]
    if (resource !== undefined) return this.#quoted.has(resource)
    const [, section, field, name] = labelKey.exec(key) ?? []
    const word = field ?? name
    return section !== undefined && this.#quoted.has(section) && this.#words.has(word!)
  }
}

/** Iterates over the texts of all files with code in a folder and in its folders. */
function* readCode(folder: string): Generator<string> {
  let entries
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    return
  }
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && entry.name !== 'node_modules') yield* readCode(path)
    else if (codeFile.has(extname(entry.name))) yield readFileSync(path, 'utf8')
  }
}
