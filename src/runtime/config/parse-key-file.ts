/** Parses the YAML of a nested key file into a tree of entries. */
import { createRequire } from 'node:module'
import type * as YamlModule from 'yaml'
import type { ErrorCode, Node, Pair, YAMLError, YAMLMap, YAMLSeq } from 'yaml'
import type { ConfigProblem, Origin } from './configuration-error.ts'
import { emptySection, maxDepth, nestEntry } from './key-tree.ts'
import type { Entry, Leaf, List, Section } from './key-tree.ts'

const maxEntries = 100_000
const maxCharacters = 1_048_576
// The control characters that YAML forbids: all except tab and line ends.
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** The parsed tree of a file and its problems; a tree with problems is incomplete. */
export interface ParsedKeyFile {
  readonly section: Section
  readonly problems: readonly ConfigProblem[]
}

type Yaml = typeof YamlModule
let yaml: Yaml | undefined

/**
 * Parses YAML 1.2 (core schema). Dotted keys become nested sections, and `<<` merges sections. `file` is the file name in
 * source locations. Never throws: syntax errors, cycles and excessive aliases become problems.
 */
export function parseKeyFile(text: string, file: string): ParsedKeyFile {
  // Loaded only when needed: `fw start` and `fw run` read the files that `fw check` has parsed, and so need not load the 72
  // modules of yaml.
  yaml ??= createRequire(import.meta.url)('yaml') as Yaml
  return new KeyFileParser(file, yaml).parse(text)
}

// Replaces the parser's messages that are unclear, that mention the parser's options, or that quote the file, which may contain
// secrets.
const messages: Readonly<Partial<Record<ErrorCode, string>>> = {
  UNEXPECTED_TOKEN: 'unexpected text',
  RESOURCE_EXHAUSTION: 'nested too deeply',
  MULTIPLE_DOCS: 'a file contains one document only; remove the `---`',
  NON_STRING_KEY: 'a key must be a string',
  TAB_AS_INDENT: 'a tab indents this line: use spaces',
}

const openCollection =
  /^Flow (?:sequence|map) in block collection must be sufficiently indented and end/i

const formatMessage = ({ code, message }: YAMLError): string =>
  messages[code] ?? message.charAt(0).toLowerCase() + message.slice(1)

class KeyFileParser {
  readonly #file: string
  readonly #yaml: Yaml
  readonly #lines: InstanceType<Yaml['LineCounter']>
  readonly #problems: ConfigProblem[] = []
  readonly #anchors = new Map<string, Node>()
  /** The sections and lists that contain the current node. */
  readonly #ancestors = new Set<Node>()
  readonly #repeated = new Set<Pair>()
  #count = 0

  constructor(file: string, yaml: Yaml) {
    this.#file = file
    this.#yaml = yaml
    this.#lines = new yaml.LineCounter()
  }

  parse(text: string): ParsedKeyFile {
    const section = this.#parseRoot(text) ?? emptySection(this.#file)
    return { section, problems: this.#problems }
  }

  #parseRoot(text: string): Section | undefined {
    const start = { file: this.#file, line: 1, column: 1 }
    if (text.length > maxCharacters) return this.#fail(start, 'is larger than 1 MiB')
    if (control.test(text)) {
      const before = text.slice(0, text.search(control)).split('\n')
      const origin = { ...start, line: before.length, column: before.at(-1)!.length + 1 }
      return this.#fail(origin, 'a control character is not allowed')
    }
    const { isMap, isScalar } = this.#yaml
    const root = this.#parseYaml(text)
    if (root == null || (isScalar(root) && root.value === null)) return undefined
    if (isMap(root)) return this.#section(root, this.#origin(root))
    return this.#fail(this.#origin(root), 'must contain keys and values, such as `port: 8080`')
  }

  #parseYaml(text: string): Node | null | undefined {
    try {
      const document = this.#yaml.parseDocument<Node, false>(text, {
        schema: 'core',
        version: '1.2',
        resolveKnownTags: false,
        stringKeys: true,
        // yaml's own check compares each key with all earlier ones; `#section` finds repeated keys in linear time.
        uniqueKeys: false,
        prettyErrors: false,
        logLevel: 'error',
        lineCounter: this.#lines,
      })
      const [error] = [...document.errors, ...document.warnings]
      if (error === undefined) return document.contents
      const origin = this.#position(error.pos[0])
      const line = text.split('\n', origin.line)[origin.line - 1]
      const hint = line?.includes('${') ? '; between { } or [ ] a value with ${…} needs quotes' : ''
      if (!this.#explain(error, document.contents)) this.#fail(origin, formatMessage(error) + hint)
    } catch {
      this.#fail({ file: this.#file, line: 1, column: 1 }, 'is not valid YAML')
    }
    return undefined
  }

  /** Reports a list or map without an end, with the position of its begin. */
  #explain({ message, pos }: YAMLError, root: Node | null): boolean {
    if (!openCollection.test(message)) return false
    const { isMap, visit } = this.#yaml
    let found: readonly [number, string] | undefined
    visit(root, {
      Collection: (_key, node) => {
        const [start, , end] = node.range ?? [0, 0, 0]
        const [kind, mark] = isMap(node) ? ['map', '}'] : ['list', ']']
        if (node.flow && start <= pos[0] && pos[0] <= end)
          found = [start, `this ${kind} does not end: write ${mark} after its last item`]
      },
    })
    if (found) this.#fail(this.#position(found[0]), found[1])
    return found !== undefined
  }

  #position(offset: number): Origin {
    const { line, col } = this.#lines.linePos(offset)
    return { file: this.#file, line: Math.max(line, 1), column: Math.max(col, 1) }
  }

  #origin(node: Node): Origin {
    return this.#position(node.range?.[0] ?? 0)
  }

  #fail(origin: Origin, text: string): undefined {
    this.#problems.push({ origin, text })
    return undefined
  }

  #section(map: YAMLMap, origin: Origin): Section {
    const merged = new Map<string, Entry>()
    const own = new Map<string, Entry>()
    const lines = new Map<string, number>()
    for (const pair of map.items as Pair<Node, Node | null>[]) {
      const key = this.#yaml.isScalar(pair.key) ? String(pair.key.value) : ''
      const keyOrigin = this.#origin(pair.key)
      const first = lines.get(key)
      if (first !== undefined) {
        // An alias may name an anchor in the value.
        this.#entry(pair.value, keyOrigin)
        // An alias reads the section again.
        if (this.#repeated.has(pair)) continue
        this.#repeated.add(pair)
        const text = `${key} occurs twice in its section, first in line ${first}`
        this.#fail(keyOrigin, `${text}: keep one of them`)
        continue
      }
      lines.set(key, keyOrigin.line)
      const entry = this.#entry(pair.value, keyOrigin)
      if (entry === undefined) continue
      if (key === '<<') this.#merge(merged, entry)
      else {
        const problem = nestEntry(own, { key, entry, origin: keyOrigin })
        if (problem !== undefined) this.#fail(keyOrigin, problem)
      }
    }
    for (const [name, entry] of own) merged.set(name, entry)
    return { kind: 'section', entries: merged, origin }
  }

  /** If several merged sections have the same key, the first section wins, as in YAML 1.1. */
  #merge(into: Map<string, Entry>, entry: Entry): void {
    for (const source of entry.kind === 'list' ? entry.items : [entry]) {
      if (source.kind !== 'section') return this.#fail(entry.origin, '`<<` merges sections only')
      for (const [name, member] of source.entries) if (!into.has(name)) into.set(name, member)
    }
  }

  #entry(node: Node | null, origin: Origin): Entry | undefined {
    if (node === null) return { kind: 'leaf', text: undefined, value: undefined, origin }
    if (++this.#count > maxEntries) {
      if (this.#count === maxEntries + 1)
        this.#fail(origin, `contains more than ${maxEntries} values`)
      return undefined
    }
    if (this.#yaml.isAlias(node)) return this.#alias(node.source, this.#origin(node))
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node)
    return this.#resolved(node, origin)
  }

  #alias(name: string, origin: Origin): Entry | undefined {
    const target = this.#anchors.get(name)
    if (target === undefined) return this.#fail(origin, `no \`&${name}\` precedes this alias`)
    return this.#resolved(target, origin)
  }

  #resolved(node: Node, origin: Origin): Entry | undefined {
    const { isMap, isScalar } = this.#yaml
    if (isScalar(node)) return this.#leaf(node.value, node.source, this.#origin(node))
    if (this.#ancestors.has(node)) {
      return this.#fail(origin, 'an alias refers to a value that contains it')
    }
    if (this.#ancestors.size >= maxDepth) return this.#fail(origin, 'nested too deeply')
    this.#ancestors.add(node)
    const entry = isMap(node) ? this.#section(node, origin) : this.#list(node as YAMLSeq, origin)
    this.#ancestors.delete(node)
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
