/** The registry of an application's views and layouts, which the generated `.fw/registry.ts` fills. */

/**
 * The pages of the application with the values that they declare. The interface is empty until templates are generated;
 * then `.fw/registry.ts` extends it by `declare module 'fwjs/view'`. The names of HTML pages have no suffix
 * (`/members/index`), those of other pages end in their format (`/members/index.json`). The names of partials, which
 * `renderFragment` renders, have a segment that begins with `_` or `.`.
 */
export interface Views {}

/** The layouts of the application with the values that they declare, by the name passed to `layout(name)`. */
export interface Layouts {}

/**
 * The mails of the application with the values that their bodies declare, by name: `welcome` for `mail/welcome.html.ssp`. The
 * names of their layouts begin with `layouts/`.
 */
export interface Mails {}

/** The name of a page, with or without the leading slash. Any string is accepted while `Views` is empty. */
export type ViewName = [keyof Views] extends [never]
  ? string
  : EitherName<Exclude<keyof Views & string, `${string}/_${string}` | `${string}/.${string}`>>

type EitherName<V extends string> = V extends `/${infer Path}` ? V | Path : V

/** The name of a layout. Any string is accepted while `Layouts` is empty. */
export type LayoutName = [keyof Layouts] extends [never] ? string : keyof Layouts & string

/** The values that a page declares. A value with a default is optional. */
export type ViewValues<V extends string> = V extends keyof Views
  ? Declared<Views[V]>
  : `/${V}` extends keyof Views
    ? Declared<Views[`/${V}`]>
    : Readonly<Record<string, unknown>>

/** An interface without members would accept any value. The compiler shows the text of this type in its error. */
type Declared<T> = [keyof T] extends [never]
  ? Readonly<Record<string, 'The view declares no values: <%@val name: Type %>'>>
  : T

/**
 * The type of the application's `controllers`, for `this.routes`. The interface is empty until templates are generated;
 * then `.fw/registry.ts` adds the member `controllers`.
 */
export interface ControllerRegistry {}
