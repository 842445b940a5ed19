/** The members of a resource's controller: hooks to override, and actions. */
import type { FwApiController } from '../controller.ts'
import type {
  Columns,
  ReadOnlyModel,
  KeyPage,
  KeyPageRequest,
  Relations,
  ResourceModel,
  RowOf,
} from '../model.ts'
import type { Params, ParamTypes, PermittedValues } from '../params.ts'
import type { Validation } from '../validation.ts'
import type { PageByKey, RecordOutput, traitOptions, TraitOptions } from './resource-options.ts'

/**
 * The members of every resource: first the hooks that a subclass may override, then the actions.
 * @spec Resource controller hooks (FwResource)
 */
export interface ReadOnlyApiResourceActions<Row extends object, Id> {
  /** One page of records; in a nested resource, of the parent's records. `page` starts at 1. */
  findResources(page: number, size: number): Promise<readonly Row[]>
  countResources(): Promise<number>
  /**
   * One page of records for the option `pageByKey`, in place of the two before:
   * `return Member.where({ ownerId }).include({ country }).paginate(request)`.
   */
  findPageByKey(request: KeyPageRequest): Promise<KeyPage<Row>>
  /** If the record has another parent than the path, the response is 404 even if this returns it. */
  findResource(id: Id): Promise<Row | undefined>
  /** The record of the path's parent parameter; `undefined` is 404 for everything below it. */
  findParent(id: unknown): Promise<object | undefined>
  showResources(): unknown
  showResource(): unknown
}

/**
 * The members that `FwApiResource` adds: first the hooks that a subclass may override, then the actions of the routes
 * that end in `.json` or `.xml`.
 * @spec Resource controller hooks (FwResource)
 */
export interface ApiResourceActions<Row extends object, Id> extends ReadOnlyApiResourceActions<
  Row,
  Id
> {
  /**
   * The parameters that creation validates and permits; the request's own unless overridden. A permitted field may be
   * sent in snake case.
   */
  createParams(): Params
  /** `createParams` unless overridden. */
  updateParams(): Params
  /** The validation of creation; without rules unless overridden. */
  createForm(): Validation<string>
  /** `createForm` unless overridden. PATCH validates only the keys that were sent. */
  updateForm(): Validation<string>
  doCreateAndReturnId(permitted: PermittedValues): Promise<Id>
  doUpdate(id: Id, permitted: PermittedValues): Promise<unknown>
  doDestroy(id: Id): Promise<unknown>
  createResource(): unknown
  updateResource(): unknown
  destroyResource(): unknown
}

/** The hooks of pages. */
interface PageHooks<View extends string> {
  /** Called before a page of the resource renders: sets further values, such as the options of a select. */
  preparePage(view: View): unknown
  /**
   * The records that a select offers: the first 200 by `title`, those that the parameters `fields` refer to, and those that
   * the visitor searches for in `_search.<field>`, a text input with the name of the first field.
   */
  findOptions<T extends string, C extends Columns, K extends keyof C & string>(
    model: ReadOnlyModel<T, C, K>,
    title: keyof C & string,
    ...fields: readonly string[]
  ): Promise<readonly RowOf<ReadOnlyModel<T, C, K>>[]>
}

/** The members that `FwResource` adds to a resource without strong parameters. */
export interface ReadOnlyResourceActions<Row extends object, Id>
  extends ReadOnlyApiResourceActions<Row, Id>, PageHooks<'index' | 'show'> {}

/**
 * The members that `FwResource` adds: those of `FwApiResource`, and the pages with a form.
 * @spec Resource controller hooks (FwResource)
 */
export interface ResourceActions<Row extends object, Id>
  extends ApiResourceActions<Row, Id>, PageHooks<'index' | 'show' | 'new' | 'edit'> {
  newResource(): unknown
  editResource(): unknown
}

/**
 * The options as members. The actions read them from the instance, so an override counts.
 * @spec Resource controller hooks (FwResource)
 */
export interface ResourceHooks {
  readonly model: ResourceModel<object, unknown>
  readonly resourcesName: string
  readonly resourceName: string
  readonly resourcesBasePathPrefix: string
  readonly messageResourceName: string
  readonly createFormStrongParameters: ParamTypes
  readonly updateFormStrongParameters: ParamTypes
  readonly include: Relations<string>
  readonly output: RecordOutput<object> | undefined
  readonly itemsName: string
  readonly itemName: string
  readonly pageSize: number
  readonly pageByKey: PageByKey | undefined
  readonly requireIfMatch: boolean
}

/** A resource's controller as the actions use it. The type that the traits return has the types of rows and ids. */
export type ResourceController = FwApiController &
  ResourceHooks &
  ApiResourceActions<object, unknown> & { readonly [traitOptions]: TraitOptions }
