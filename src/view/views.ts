/** The registry of an application's views and layouts, filled by the generated `.fw/registry.ts`. */

/**
 * Every page of the application and the values it declares. Empty until templates are generated; `.fw/registry.ts`
 * adds to it by `declare module 'fwjs/view'`. HTML pages are named without a suffix (`/members/index`), others with
 * their format (`/members/index.json`); partials are not in it.
 */
export interface Views {}

/** Every layout of the application, by the name that `layout(name)` takes, and the values it declares. */
export interface Layouts {}

/** The name of a page; any string while the registry is empty. */
export type ViewName = [keyof Views] extends [never] ? string : keyof Views & string

/** The name of a layout; any string while the registry is empty. */
export type LayoutName = [keyof Layouts] extends [never] ? string : keyof Layouts & string

/** The values that a page declares: required, and optional where it gives a default. */
export type ViewValues<V extends string> = V extends keyof Views
  ? Views[V]
  : Readonly<Record<string, unknown>>
