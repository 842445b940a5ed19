/** `sourcePatterns`: the regular expressions of the source files in a folder. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CallExpression, type NewExpression, Visitor, parseSync } from 'oxc-parser'

const root = join(import.meta.dirname, '../..')

/** A regular expression in a source file. */
export interface SourcePattern {
  readonly file: string
  /** The literal, or the arguments of the constructor as they are written. */
  readonly source: string
  /** The expression; undefined if the constructor gets other text than a constant one. */
  readonly pattern: RegExp | undefined
}

/** Returns the literals, the calls of `RegExp` and the texts of members `pattern` (JSON Schema) of a folder's files. */
export function sourcePatterns(folder: string): readonly SourcePattern[] {
  return globSync(`${folder}/**/*.ts`, { cwd: root })
    .filter((file) => !/\.(?:test|fixture)\.ts$/.test(file))
    .toSorted()
    .flatMap(patternsOf)
}

function patternsOf(file: string): SourcePattern[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found: SourcePattern[] = []
  const addCall = ({ callee, start, end }: CallExpression | NewExpression) => {
    if (callee.type === 'Identifier' && callee.name === 'RegExp')
      found.push({ file, source: text.slice(start, end), pattern: undefined })
  }
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return
      const { pattern, flags } = node.regex
      found.push({ file, source: node.raw!, pattern: new RegExp(pattern, flags) })
    },
    Property({ key, value }) {
      if (key.type !== 'Identifier' || key.name !== 'pattern' || value.type !== 'Literal') return
      if (typeof value.value !== 'string') return
      found.push({ file, source: value.raw!, pattern: new RegExp(value.value, 'u') })
    },
    NewExpression: addCall,
    CallExpression: addCall,
  }).visit(parseSync(file, text).program)
  return found
}
