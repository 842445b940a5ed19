/** The names of templates that an action can render without a layout. */
import type { Views } from './views.ts'

type OtherFormat = `${string}.json` | `${string}.xml` | `${string}.txt`

/** The name of a partial or view in HTML, such as `/members/_row`. Any string is accepted while `Views` is empty. */
export type FragmentName = [keyof Views] extends [never]
  ? string
  : Exclude<keyof Views & string, OtherFormat>
