/** What the actions of a resource are, and what an application may put in their place. */
import type { Params, PermittedValues } from '../params.ts'
import type { Validation } from '../validation.ts'

/**
 * The members that `FwResource` adds: hooks to override first, then the actions that the default routes call.
 * @spec Resource controller hooks (FwResource)
 */
export interface ResourceActions<Row extends object, Id> {
  /**
   * The parameters that creation judges and permits; the request's own unless overridden, permitted fields that came in
   * snake case among them.
   */
  createParams(): Params
  /** Those of `createParams` unless overridden. */
  updateParams(): Params
  /** The validation of creation; without rules unless overridden. */
  createForm(): Validation<string>
  /** That of `createForm` unless overridden. PATCH judges only the keys that were sent. */
  updateForm(): Validation<string>
  /** One page of records; `page` from 1. */
  findResources(page: number, size: number): Promise<readonly Row[]>
  countResources(): Promise<number>
  findResource(id: Id): Promise<Row | undefined>
  doCreateAndReturnId(permitted: PermittedValues): Promise<Id>
  doUpdate(id: Id, permitted: PermittedValues): Promise<unknown>
  doDestroy(id: Id): Promise<unknown>
  showResources(): unknown
  showResource(): unknown
  newResource(): unknown
  createResource(): unknown
  editResource(): unknown
  updateResource(): unknown
  destroyResource(): unknown
}
