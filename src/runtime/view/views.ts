/** The registry of an application's views and layouts, filled by the generated `.fw/registry.ts`. */

/**
 * Every page of the application and the values it declares. Empty until templates are generated; `.fw/registry.ts`
 * extends it by `declare module 'fwjs/view'`. HTML pages are named without a suffix (`/members/index`), others with
 * their format (`/members/index.json`). Partials are for `renderFragment`; a segment of their name starts with `_` or `.`.
 */
export interface Views {}

/** Every layout of the application, by its name in `layout(name)`, with the values that it declares. */
export interface Layouts {}

/** The name of a page, with or without its first slash; any string while the registry is empty. */
export type ViewName = [keyof Views] extends [never]
  ? string
  : EitherName<Exclude<keyof Views & string, `${string}/_${string}` | `${string}/.${string}`>>

type EitherName<V extends string> = V extends `/${infer Path}` ? V | Path : V

/** The name of a layout; any string while the registry is empty. */
export type LayoutName = [keyof Layouts] extends [never] ? string : keyof Layouts & string

/** The values that a page declares; a value with a default is optional. */
export type ViewValues<V extends string> = V extends keyof Views
  ? Declared<Views[V]>
  : `/${V}` extends keyof Views
    ? Declared<Views[`/${V}`]>
    : Readonly<Record<string, unknown>>

/** An empty interface would accept any value. The compiler shows this text. */
type Declared<T> = [keyof T] extends [never]
  ? Readonly<Record<string, 'The view declares no values: <%@val name: Type %>'>>
  : T

/**
 * The type of the application's `controllers`, for `this.routes`. Empty until templates are generated; `.fw/registry.ts`
 * extends it by the member `controllers`.
 */
export interface ControllerRegistry {}
