/** A route that is being described, and what all routes of a document share. */
import type { Application, MountedRoute } from '../app.ts'
import type { PathTemplate } from './path-template.ts'
import type { SchemaSet } from './schema-set.ts'

export interface RouteUnderWay {
  readonly application: Application
  readonly route: MountedRoute
  /** Whether its method may change something. */
  readonly isUnsafe: boolean
  readonly template: PathTemplate
  /** The name of its controller. */
  readonly group: string
  /** Its own name. */
  readonly name: string
  /** The name of one operation: what is wanted, with a number where another one of the document has it. */
  readonly uniqueName: (wanted: string) => string
  readonly schemas: SchemaSet
  /** What could not be told. */
  readonly notes: string[]
  /** The name of a model's rows; `undefined` for one without. */
  readonly rowName: (model: object) => string | undefined
}
