/** The type of `set` in templates. */
import type { Layouts, LayoutName } from './views.ts'

type Layout = Layouts[keyof Layouts]
type KeysOf<L> = L extends unknown ? keyof L & string : never
type ValueOf<L, N extends string> = L extends unknown ? (N extends keyof L ? L[N] : never) : never

/** The names that some layout declares; any string while no layout is known. */
type Settable = [keyof Layouts] extends [never]
  ? string
  : Exclude<KeysOf<Layout>, 'body'> | 'layout'

type Value<N extends string> = N extends 'layout'
  ? LayoutName | '' | false
  : [keyof Layouts] extends [never]
    ? unknown
    : ValueOf<Layout, N>

/** Passes a value to the layout. The compiler checks name and type against those that the layouts declare. */
export type PageSetter = <N extends Settable>(name: N, value: Value<N>) => void
