/** Finds where code writes a name as a key, a member or a text, and how a rename changes it there. */

/** A use of a name, by offsets in the code without quotes. */
export interface NameUse {
  readonly kind: 'text' | 'key' | 'shorthand' | 'member'
  readonly start: number
  readonly end: number
}

/** Returns the uses of a name between two offsets; variables and parts of longer texts are none. */
export function findNameUses(code: string, name: string, from: number, to: number): NameUse[] {
  const pattern = new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g')
  pattern.lastIndex = from
  const uses: NameUse[] = []
  for (let match = pattern.exec(code); match !== null; match = pattern.exec(code)) {
    const [start, end] = [match.index, match.index + name.length]
    if (end > to) break
    const kind = kindOf(code, start, end)
    if (kind !== undefined) uses.push({ kind, start, end })
  }
  return uses
}

function kindOf(code: string, start: number, end: number): NameUse['kind'] | undefined {
  const before = code[start - 1] ?? ''
  if (/['"`]/.test(before)) return code[end] === before ? 'text' : undefined
  const previous = code.slice(Math.max(0, start - 200), start).trimEnd()
  const next = /^\s*(\?\s*:|.)/.exec(code.slice(end, end + 200))?.[1] ?? ''
  if (/(?<!\.)\.$|\?\.$/.test(previous)) return 'member'
  if (next.endsWith(':')) return previous.endsWith('?') ? undefined : 'key'
  return /[{,]$/.test(previous) && /^[,}=]/.test(next) ? 'shorthand' : undefined
}

/** Returns whether a name in quotes, by its offsets without them, is the key of an object or of a type. */
export const isQuotedKey = (code: string, start: number, end: number): boolean =>
  /^['"]\s*\??\s*:/.test(code.slice(end, end + 200)) &&
  // Not a text of a condition or a case.
  !/(?:[?:=(&|+<>!]|\bcase)\s*['"]$/.test(code.slice(Math.max(0, start - 200), start))

/** Returns the text that replaces a use. */
export const renamedUse = ({ kind }: NameUse, name: string, newName: string): string =>
  kind === 'shorthand' ? `${newName}: ${name}` : newName
