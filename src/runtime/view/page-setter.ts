/** The type of the function `set` in templates. */
import type { Layouts, LayoutName } from './views.ts'

type Layout = Layouts[keyof Layouts]
type KeysOf<L> = L extends unknown ? keyof L & string : never
type ValueOf<L, N extends string> = L extends unknown ? (N extends keyof L ? L[N] : never) : never

/** The names that at least one layout declares. Any string is accepted while no layout is known. */
type Settable = [keyof Layouts] extends [never]
  ? string
  : Exclude<KeysOf<Layout>, 'body'> | 'layout'

type Value<N extends string> = N extends 'layout'
  ? LayoutName | '' | false
  : [keyof Layouts] extends [never]
    ? unknown
    : ValueOf<Layout, N>

/** Passes a value to the layout. The compiler checks the name and the type of the value against the layouts' declarations. */
export type PageSetter = <N extends Settable>(name: N, value: Value<N>) => void
