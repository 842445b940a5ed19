/** Parses the YAML of a nested key file into a tree of entries. */
import { LineCounter, isAlias, isMap, isScalar, parseDocument } from 'yaml'
import type { ErrorCode, Node, Pair, YAMLError, YAMLMap, YAMLSeq } from 'yaml'
import { emptySection } from './key-tree.ts'
import type { Entry, Leaf, List, Origin, Section } from './key-tree.ts'
import { nestLine } from './nest.ts'
import type { ConfigProblem } from './problem.ts'

const deepest = 32
const mostEntries = 100_000
const mostCharacters = 1_048_576
// YAML allows no control character but tab and line ends.
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** A tree, and what was wrong with the text; with problems the tree is not to be used. */
export interface ParsedKeyFile {
  readonly section: Section
  readonly problems: readonly ConfigProblem[]
}

/**
 * Reads YAML 1.2 (core schema). Keys with dots nest, `<<` merges. `file` only names the places.
 * Never throws: syntax errors, loops and masses of aliases become problems with their line and column.
 */
export function parseKeyFile(text: string, file: string): ParsedKeyFile {
  return new KeyFileParser(file).parse(text)
}

// The parser's own message would show text of the file, which may be a secret, or speak of its own options.
const messages: Readonly<Partial<Record<ErrorCode, string>>> = {
  UNEXPECTED_TOKEN: 'unexpected text',
  RESOURCE_EXHAUSTION: 'nested too deeply',
  MULTIPLE_DOCS: 'a file holds one document only; remove the `---`',
  NON_STRING_KEY: 'a key must be a text',
}

function messageOf({ code, message }: YAMLError): string {
  return messages[code] ?? message.charAt(0).toLowerCase() + message.slice(1)
}

class KeyFileParser {
  readonly #file: string
  readonly #lines = new LineCounter()
  readonly #problems: ConfigProblem[] = []
  readonly #anchors = new Map<string, Node>()
  readonly #open = new Set<Node>()
  #count = 0

  constructor(file: string) {
    this.#file = file
  }

  parse(text: string): ParsedKeyFile {
    const section = this.#parseRoot(text) ?? emptySection(this.#file)
    return { section, problems: this.#problems }
  }

  #parseRoot(text: string): Section | undefined {
    if (!this.#isReadable(text)) return undefined
    const root = this.#parseYaml(text)
    if (root == null || (isScalar(root) && root.value === null)) return undefined
    if (isMap(root)) return this.#section(root, this.#origin(root))
    return void this.#fail(this.#origin(root), 'must hold keys and values, such as `port: 8080`')
  }

  #isReadable(text: string): boolean {
    const start = { file: this.#file, line: 1, column: 1 }
    if (text.length > mostCharacters) this.#fail(start, 'is larger than 1 MiB')
    else if (control.test(text)) {
      const before = text.slice(0, text.search(control)).split('\n')
      const column = before.at(-1)!.length + 1
      this.#fail({ ...start, line: before.length, column }, 'a control character is not allowed')
    } else return true
    return false
  }

  #parseYaml(text: string): Node | null | undefined {
    try {
      const document = parseDocument<Node, false>(text, {
        schema: 'core',
        version: '1.2',
        resolveKnownTags: false,
        stringKeys: true,
        prettyErrors: false,
        logLevel: 'error',
        lineCounter: this.#lines,
      })
      const [error] = [...document.errors, ...document.warnings]
      if (error === undefined) return document.contents
      const place = this.#position(error.pos[0])
      const line = text.split('\n', place.line)[place.line - 1]
      const hint = line?.includes('${') ? '; between { } or [ ] a value with ${…} needs quotes' : ''
      this.#fail(place, messageOf(error) + hint)
    } catch {
      this.#fail({ file: this.#file, line: 1, column: 1 }, 'is not YAML that can be read')
    }
    return undefined
  }

  #position(offset: number): Origin {
    const { line, col } = this.#lines.linePos(offset)
    return { file: this.#file, line: Math.max(line, 1), column: Math.max(col, 1) }
  }

  #origin(node: Node): Origin {
    return this.#position(node.range?.[0] ?? 0)
  }

  #fail(origin: Origin, text: string): void {
    this.#problems.push({ origin, text })
  }

  #section(map: YAMLMap, origin: Origin): Section {
    const merged = new Map<string, Entry>()
    const own = new Map<string, Entry>()
    for (const pair of map.items as Pair<Node, Node | null>[]) {
      const name = isScalar(pair.key) ? String(pair.key.value) : ''
      const place = this.#origin(pair.key)
      const entry = this.#entry(pair.value, place)
      if (entry === undefined) continue
      if (name === '<<') this.#merge(merged, entry)
      else {
        const wrong = nestLine(own, { key: name, entry, place })
        if (wrong !== undefined) this.#fail(place, wrong)
      }
    }
    for (const [name, entry] of own) merged.set(name, entry)
    return { kind: 'section', entries: merged, origin }
  }

  /** Of several merged sections the first that has a key wins, as in YAML 1.1. */
  #merge(into: Map<string, Entry>, entry: Entry): void {
    for (const source of entry.kind === 'list' ? entry.items : [entry]) {
      if (source.kind !== 'section') return this.#fail(entry.origin, '`<<` merges sections only')
      for (const [name, member] of source.entries) if (!into.has(name)) into.set(name, member)
    }
  }

  #entry(node: Node | null, place: Origin): Entry | undefined {
    if (node === null) return { kind: 'leaf', text: undefined, value: undefined, origin: place }
    if (++this.#count > mostEntries) {
      if (this.#count === mostEntries + 1) this.#fail(place, `holds over ${mostEntries} values`)
      return undefined
    }
    if (isAlias(node)) return this.#alias(node.source, this.#origin(node))
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node)
    return this.#resolved(node, place)
  }

  #alias(name: string, place: Origin): Entry | undefined {
    const target = this.#anchors.get(name)
    if (target === undefined) return void this.#fail(place, `no \`&${name}\` stands before`)
    return this.#resolved(target, place)
  }

  #resolved(node: Node, place: Origin): Entry | undefined {
    if (isScalar(node)) return this.#leaf(node.value, node.source, this.#origin(node))
    if (this.#open.has(node)) return void this.#fail(place, 'an alias stands inside its own value')
    if (this.#open.size >= deepest) return void this.#fail(place, 'nested too deeply')
    this.#open.add(node)
    const entry = isMap(node) ? this.#section(node, place) : this.#list(node as YAMLSeq, place)
    this.#open.delete(node)
    return entry
  }

  #leaf(value: unknown, source: string | undefined, origin: Origin): Leaf {
    if (typeof value === 'number' || typeof value === 'boolean') {
      return { kind: 'leaf', text: source ?? String(value), value, origin }
    }
    const text = typeof value === 'string' ? value : undefined
    return { kind: 'leaf', text, value: text, origin }
  }

  #list(list: YAMLSeq, origin: Origin): List {
    const items: Entry[] = []
    for (const item of list.items as (Node | null)[]) {
      const entry = this.#entry(item, item === null ? origin : this.#origin(item))
      if (entry !== undefined) items.push(entry)
    }
    return { kind: 'list', items, origin }
  }
}
