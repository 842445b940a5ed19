/**
 * The types of the hooks and actions of a resource's controller. They are type aliases, because the compiler needs less memory for
 * them: it copies the members of a generic interface once for each class that inherits them.
 */
import type { FwApiController } from '../controller.ts'
import type {
  Columns,
  KeyPage,
  KeyPageRequest,
  ReadOnlyModel,
  ResourceModel,
  RowOf,
} from '../model.ts'
import type { Params, ParamTypes, PermittedValues } from '../params.ts'
import type { Validation } from '../validation.ts'
import type {
  PageByKey,
  ReadOnlyResourceOptions,
  RecordOutput,
  ResourceOptions,
  traitOptions,
  TraitOptions,
  UpdateTypes,
} from './resource-options.ts'

/** An interface, because TypeScript then lets a subclass override the property with a getter. */
interface HasRecords<Row extends object, Id> {
  /**
   * The model of the records that the request may use: those of the owner that the option `scope` names, else all records of
   * `model`. The default hooks find and write only through this model. Halts with 401 if there is no owner.
   */
  readonly records: ResourceModel<Row, Id>
}

/**
 * The members of every resource's controller: hooks that a subclass may override, followed by actions.
 * @spec Resource controller hooks (FwResource)
 */
export type ReadOnlyApiResourceActions<Row extends object, Id> = HasRecords<Row, Id> & {
  /** Returns one page of records; in a nested resource, only the parent's records. `page` starts at 1. */
  findResources(page: number, size: number): Promise<readonly Row[]>
  countResources(): Promise<number>
  /**
   * Returns one page of records for the option `pageByKey`, which does not call `findResources` and `countResources`: `return
   * Member.where({ ownerId }).include({ country }).paginate(request)`.
   */
  findPageByKey(request: KeyPageRequest): Promise<KeyPage<Row>>
  /** Returns the record with the id. The response is 404 if the record's parent differs from the parent in the path. */
  findResource(id: Id): Promise<Row | undefined>
  /** Returns the parent record, whose id is in the path. If it is `undefined`, all routes below the parent respond with 404. */
  findParent(id: unknown): Promise<object | undefined>
  showResources(): unknown
  showResource(): unknown
}

/**
 * The members that `FwApiResource` adds: hooks that a subclass may override, followed by the actions of the routes that end in
 * `.json` or `.xml`.
 * @spec Resource controller hooks (FwResource)
 */
export type ApiResourceActions<Row extends object, Id> = ReadOnlyApiResourceActions<Row, Id> & {
  /**
   * Returns the parameters that creation validates and permits, by default the parameters of the request. Clients may write the
   * names of permitted fields in snake case.
   */
  createParams(): Params
  /** Returns the parameters that an update validates and permits, by default those of `createParams`. */
  updateParams(): Params
  /** Returns the validation for creation, by default without rules. */
  createForm(): Validation<string>
  /** Returns the validation for updates, by default that of `createForm`. PATCH validates only the keys that were sent. */
  updateForm(): Validation<string>
  doCreateAndReturnId(permitted: PermittedValues): Promise<Id>
  doUpdate(id: Id, permitted: PermittedValues): Promise<unknown>
  doDestroy(id: Id): Promise<unknown>
  createResource(): unknown
  updateResource(): unknown
  destroyResource(): unknown
}

/** The hooks of resources with pages. */
type PageHooks<View extends string> = {
  /** Runs before a page of the resource renders. An override can set more values for the view, such as a select's options. */
  preparePage(view: View): unknown
  /**
   * Returns the records that a select element offers: the first 200 by `title`, and the records that the parameters `fields`
   * refer to. A text input `_search.<field>`, with the first field's name, restricts the first 200 to titles with the entered
   * text.
   */
  findOptions<T extends string, C extends Columns, K extends keyof C & string>(
    model: ReadOnlyModel<T, C, K>,
    title: keyof C & string,
    ...fields: readonly string[]
  ): Promise<readonly RowOf<ReadOnlyModel<T, C, K>>[]>
}

/** The members that `FwResource` adds to a read-only resource, which has no strong parameters. */
export type ReadOnlyResourceActions<Row extends object, Id> = ReadOnlyApiResourceActions<Row, Id> &
  PageHooks<'index' | 'show'>

/**
 * The members that `FwResource` adds: the members of `FwApiResource`, and the actions for pages with a form.
 * @spec Resource controller hooks (FwResource)
 */
export type ResourceActions<Row extends object, Id> = ApiResourceActions<Row, Id> &
  PageHooks<'index' | 'show' | 'new' | 'edit'> & {
    newResource(): unknown
    editResource(): unknown
  }

/** The options with the same type in every resource. The alias has no parameters, so that the compiler has its members once. */
type SharedMembers = Required<
  Pick<
    ReadOnlyResourceOptions<object, unknown, string>,
    'resourceName' | 'messageResourceName' | 'include' | 'itemsName' | 'itemName' | 'pageSize'
  >
>

interface OwnMembers<Model, Row extends object, N extends string, P extends string, Parts> {
  readonly model: Model
  readonly resourcesName: N
  readonly resourcesBasePathPrefix: P
  readonly output: RecordOutput<Row, Parts> | undefined
  readonly pageByKey: PageByKey<keyof Row & string> | undefined
}

/**
 * The options of a read-only resource as members of the controller, with defaults for absent options. The actions read them from
 * the instance, so that a subclass can override them.
 * @spec Resource controller hooks (FwResource)
 */
export type ReadOnlyMembers<
  Model,
  Row extends object,
  N extends string,
  P extends string,
  Parts,
> = SharedMembers & OwnMembers<Model, Row, N, P, Parts>

interface WriteMembers<S extends ParamTypes> {
  readonly createFormStrongParameters: S
  readonly updateFormStrongParameters: UpdateTypes
  readonly requireIfMatch: boolean
}

/**
 * The options of a resource as members of the controller, like `ReadOnlyMembers`.
 * @spec Resource controller hooks (FwResource)
 */
export type Members<
  Model,
  Row extends object,
  S extends ParamTypes,
  N extends string,
  P extends string,
  Parts,
> = ReadOnlyMembers<Model, Row, N, P, Parts> & WriteMembers<S>

/** The model of a resource that writes, whose rows may have owners. */
type WritingModel = ResourceOptions<
  object,
  unknown,
  ParamTypes,
  string,
  string,
  string,
  unknown,
  unknown
>['model']

/**
 * The type of a resource's controller inside the actions. Rows and ids have general types; the traits return the specific
 * types.
 */
export type ResourceController = FwApiController &
  Members<WritingModel, object, ParamTypes, string, string, unknown> &
  ApiResourceActions<object, unknown> & { readonly [traitOptions]: TraitOptions }
