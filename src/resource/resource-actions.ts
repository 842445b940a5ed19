/** What the actions of a resource are, and what an application may put in their place. */
import type { FwApiController } from '../controller.ts'
import type { HasJsonParams, HasXmlParams } from '../feature.ts'
import type { Params, PermittedValues } from '../params.ts'
import type { Validation } from '../validation.ts'

/**
 * The members that `FwApiResource` adds: hooks to override first, then the actions that the routes with a suffix call.
 * @spec Resource controller hooks (FwResource)
 */
export interface ApiResourceActions<Row extends object, Id> {
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
  /** One page of records, of the parent's where the resource has one; `page` from 1. */
  findResources(page: number, size: number): Promise<readonly Row[]>
  countResources(): Promise<number>
  /** What it finds is 404 all the same where it belongs to another parent. */
  findResource(id: Id): Promise<Row | undefined>
  /** The record that the path's parameter names; `undefined` is 404 for everything below it. */
  findParent(id: unknown): Promise<object | undefined>
  doCreateAndReturnId(permitted: PermittedValues): Promise<Id>
  doUpdate(id: Id, permitted: PermittedValues): Promise<unknown>
  doDestroy(id: Id): Promise<unknown>
  showResources(): unknown
  showResource(): unknown
  createResource(): unknown
  updateResource(): unknown
  destroyResource(): unknown
}

/**
 * The members that `FwResource` adds: those of `FwApiResource`, and the pages with a form.
 * @spec Resource controller hooks (FwResource)
 */
export interface ResourceActions<Row extends object, Id> extends ApiResourceActions<Row, Id> {
  newResource(): unknown
  editResource(): unknown
}

// The compiler knows rows and ids of the application's model through the type that the traits return.
/** A controller of a resource as the actions see it. */
export type ResourceHost = FwApiController &
  HasJsonParams &
  HasXmlParams &
  ApiResourceActions<object, unknown>
