/** The primary key of a resource, as rows, paths and tests have it. */

/** A key of one column. */
export interface ResourceKey {
  /** Its field. */
  readonly field: string
  /** In TypeScript. */
  readonly type: 'number' | 'string'
  /** A path has it as it is. */
  readonly isPlain: boolean
  /** What it looks like in a path, as a regular expression. */
  readonly pattern: string
  /** Texts in a path that lead to no row. */
  readonly unknown: readonly string[]
}

/** What a scaffold gives its own tables. */
export const plainKey: ResourceKey = {
  field: 'id',
  type: 'number',
  isPlain: true,
  pattern: '\\d+',
  unknown: ['999999', 'x'],
}

/** Keys by the name that their type has in `ParamType`. */
export const keyTypes: ReadonlyMap<string, Omit<ResourceKey, 'field'>> = new Map<
  string,
  Omit<ResourceKey, 'field'>
>([
  ['Short', plainKey],
  ['Int', plainKey],
  ['Long', plainKey],
  ['String', { type: 'string', isPlain: false, pattern: '[^/]+', unknown: ['999999'] }],
  ['Uuid', { type: 'string', isPlain: true, pattern: '[\\da-f-]{36}', unknown: ['x'] }],
])
