/** The options of a resource: its model, its names, its parent, and the fields that clients may send. */
import { FwError } from '../base.ts'
import type { DescribedView } from '../controller.ts'
import type {
  DescribedResourceModel,
  ReadOnlyResourceModel,
  Relations,
  ResourceModel,
  ScopedResourceModel,
} from '../model.ts'
import type { ParamType, ParamTypes } from '../params.ts'
import { unnamedParameters, type UnnamedParameter } from '../routing.ts'

interface ParentFinder {
  findById(id: never): Promise<object | undefined>
}

/** The parent of a nested resource. */
export interface ResourceParent<Field extends string = string> {
  /**
   * The parent's model. Its id is the last parameter of `resourcesBasePathPrefix`. If its rows have owners, the option `scope` of
   * the resource names the owner.
   */
  readonly model: {
    readonly idType: ParamType<unknown>
    readonly columns?: ParamTypes
  } & (ParentFinder | { scoped(owner: never): ParentFinder })
  /** The field of a record that contains the parent's id; creation always sets it from the path. */
  readonly field: Field
  /**
   * The parent's own parent, whose id is the preceding path parameter. The response is 404 if it does not exist, or if the
   * parent does not reference it.
   */
  readonly parent?: ResourceParent
}

/** A view of the model, created by `FwModel.view`. */
export interface RecordOutput<Row extends object, Parts = unknown> extends DescribedView {
  /** Exists only for TypeScript; has no value at run time. */
  readonly parts?: Parts
  load(rows: readonly Row[], model?: object): Promise<readonly unknown[]>
}

/** The options of every resource. */
interface SharedOptions<Row extends object, Name extends string, Prefix extends string, Parts> {
  /** The plural name, which is used in the path, as the views' folder and as the root element of XML. */
  readonly resourcesName: Name
  /** The singular name, which is used as the element of each record in XML lists and in flash messages. */
  readonly resourceName: string
  /**
   * The beginning of the path: `/admin`, or `/companies/:companyId` for a nested resource. Its parts that are not parameters
   * are also folders of the views. The default is empty.
   */
  readonly resourcesBasePathPrefix?: Prefix
  /**
   * The parent of a nested resource, whose id is the prefix's last parameter. Actions find and create only the parent's
   * records. Views get the parent as `parent`. To check earlier parameters, give the parent a `parent` of its own. The model
   * must have `where`, as Fw's models do.
   */
  readonly parent?: ResourceParent<keyof NoInfer<Row> & string>
  /**
   * The relations that are loaded for pages: with `{ company: memberCompany }`, each record has the member `company`. JSON and
   * XML omit them.
   */
  readonly include?: Relations<string>
  /**
   * The model view that defines JSON and XML of a record: `Member.view({ fields: ['id', 'name'] })`. The default is all fields
   * that are not hidden.
   */
  readonly output?: RecordOutput<NoInfer<Row>, Parts>
  /** The prefix of the message keys for labels and flash messages; default `resourceName`. */
  readonly messageResourceName?: string
  /** The name of the list in views; default `items`. */
  readonly itemsName?: string
  /** The name of the record in views; default `item`. */
  readonly itemName?: string
  /** The number of records on a page of the list; default 20. */
  readonly pageSize?: number
  /**
   * The fields that clients may sort by, filter by and search in, which enables keyset pagination. Pages then begin after a
   * record instead of having a number. Inserts move no record to another page, and late pages are as fast as early ones. Views
   * get `list`. The model must have `paginate`, as Fw's models do.
   */
  readonly pageByKey?: PageByKey<keyof NoInfer<Row> & string>
}

/**
 * The options of a read-only `FwResource`, which has no strong parameters. It only lists and shows records, and its model needs
 * no writes. Each option is also a member of the controller, which a subclass may override.
 * @spec Resource controller hooks (FwResource)
 */
export interface ReadOnlyResourceOptions<
  Row extends object,
  Id,
  Name extends string,
  Prefix extends string = string,
  Hidden extends string = string,
  Parts = unknown,
  Owner = never,
> extends SharedOptions<Row, Name, Prefix, Parts> {
  readonly model: ReadOnlyResourceModel<Row, Id, Hidden> | Scoped<Row, Id, Hidden, Owner>
  readonly createFormStrongParameters?: undefined
}

/** The options of every resource that writes. */
interface WriteOptions<S extends ParamTypes> {
  readonly createFormStrongParameters: S & NoReservedFields<S>
  /** The fields that updates permit; default `createFormStrongParameters`. */
  readonly updateFormStrongParameters?: UpdateTypes
  /**
   * Whether API clients must send the ETag of the version that they change or delete in `If-Match`; default false. Without an
   * ETag, or with `*`, the response is 428. Requests with PUT, PATCH or DELETE count as requests of API clients; forms of pages
   * use POST.
   */
  readonly requireIfMatch?: boolean
}

/**
 * The options of `FwResource`. Each option is also a member of the controller, which a subclass may override.
 * @spec Resource controller hooks (FwResource)
 */
export interface ResourceOptions<
  Row extends object,
  Id,
  S extends ParamTypes,
  Name extends string,
  Prefix extends string = string,
  Hidden extends string = string,
  Parts = unknown,
  Owner = never,
>
  extends SharedOptions<Row, Name, Prefix, Parts>, WriteOptions<S> {
  readonly model: ResourceModel<Row, Id, Hidden> | Scoped<Row, Id, Hidden, Owner>
}

/**
 * The options of a resource with a model of Fw whose rows have no owners. In the overload with these options, the compiler compares
 * the model's type by name, which needs less memory than to compare all its members with those of `ResourceModel`.
 */
export interface FwModelOptions<
  Model,
  Row extends object,
  S extends ParamTypes,
  Name extends string,
  Prefix extends string,
  Parts,
  Controller,
>
  extends SharedOptions<Row, Name, Prefix, Parts>, WriteOptions<S> {
  readonly model: Model
  readonly scope?: ((controller: Controller) => unknown) | undefined
}

/** A model whose rows have owners; `never` if `Owner` is `never`, which is the type without such a model. */
type Scoped<Row, Id, Hidden extends string, Owner> = [Owner] extends [never]
  ? never
  : ScopedResourceModel<Row, Id, Hidden, Owner>

/**
 * The option `scope` of a resource: returns the owner whose records the request may use, from the controller of the request. It is
 * required for a model with `scopedBy`. Without an owner, the response is 401.
 */
export type ScopeOption<Controller, Owner> = [Owner] extends [never]
  ? { readonly scope?: ((controller: Controller) => unknown) | undefined }
  : { readonly scope: (controller: Controller) => Owner | null | undefined }

/** Fields that updates permit. */
export type UpdateTypes = ParamTypes & { readonly [K in UnnamedParameter]?: never }

/** Fields whose parameters are values of the path: a form cannot send them. */
type NoReservedFields<S> = { readonly [K in keyof S & UnnamedParameter]: never }

/** The query parameters of every list, which cannot be names of filters. */
export const listParameters = [
  'after',
  'before',
  'size',
  'sort',
  'q',
  'total',
  'page',
  'format',
] as const

type ListParameter = (typeof listParameters)[number]

/** The fields that clients may sort by, filter by and search in; an absent list permits none. */
export interface PageByKey<Field extends string = string> {
  /** The fields for `?sort=name` and `?sort=-name`. An index on the field followed by the primary key keeps every page fast. */
  readonly sort?: readonly Field[]
  /** The fields for filters such as `?countryId=7`, which selects only records with this value. */
  readonly filter?: readonly Exclude<Field, ListParameter>[]
  /**
   * The fields for the search `?q=ann`, which selects records that contain this text in one of the fields, ignoring case. The
   * columns must be text.
   */
  readonly search?: readonly Field[]
  /**
   * Further parameters that the application's `findPageByKey` reads, such as `from` and `to` of a range. Links to other pages keep
   * them, and `filter` of the `ResourceList` returns their texts.
   */
  readonly parameters?: readonly string[]
}

/** A parent and the name of its path parameter. */
export interface ResolvedParent {
  readonly model: DescribedResourceModel<unknown>
  readonly field: string
  readonly param: string
  readonly parent: ResolvedParent | undefined
}

/** The options of a resource that are not members of its controller. */
export interface TraitOptions {
  readonly parent: ResolvedParent | undefined
  /** Whether the resource has pages for browsers; otherwise it responds only with JSON and XML. */
  readonly hasPages: boolean
  /** Returns the owner of the records that a request may use. */
  readonly scope: ((controller: never) => unknown) | undefined
}

/** The key of a trait's options. Only the prototypes that the traits create have an own property with this key. */
export const traitOptions: unique symbol = Symbol('options of the resource')

/** The options of any resource. */
export type AnyResourceOptions = (
  | ResourceOptions<object, unknown, ParamTypes, string, string, string, unknown, unknown>
  | ReadOnlyResourceOptions<object, unknown, string, string, string, unknown, unknown>
) &
  ScopeOption<never, never>

const segment = /^[A-Za-z0-9_~-]+$/
const prefixPath = /^(?:\/(?:[A-Za-z0-9_~-]+|:[A-Za-z_]\w*))*$/

/**
 * Checks the options of a resource.
 * @throws FwError `resource.option-invalid`
 */
export function checkOptions(options: AnyResourceOptions): void {
  const { resourcesName, resourcesBasePathPrefix = '', pageSize = 20 } = options
  const invalid = (why: string): FwError => invalidOption(resourcesName, why)
  const writes = options.createFormStrongParameters === undefined ? undefined : options
  if (!segment.test(resourcesName))
    throw invalid('resourcesName is a part of paths: use letters, digits, - and _ only')
  if (!prefixPath.test(resourcesBasePathPrefix))
    throw invalid('resourcesBasePathPrefix is written /like/this or /like/:this')
  for (const types of [writes?.createFormStrongParameters, writes?.updateFormStrongParameters])
    if (types !== undefined) checkFields(types, invalid)
  if (!Number.isSafeInteger(pageSize) || pageSize < 1)
    throw invalid('pageSize must be an integer of 1 or more')
  if (options.pageByKey !== undefined) checkPageByKey(options, options.pageByKey, invalid)
  checkScope(options, invalid)
}

/** Whether the rows of a model have owners, so that only `scoped` returns finders. */
export const hasOwners = <M extends object>(
  model: M,
): model is M & ScopedResourceModel<object, unknown, string, unknown> => 'scoped' in model

function checkScope(
  { model, parent, scope }: AnyResourceOptions,
  invalid: (why: string) => FwError,
): void {
  const models: object[] = [model]
  for (let at: ResourceParent | undefined = parent; at !== undefined; at = at.parent)
    models.push(at.model)
  const isScoped = models.some(hasOwners)
  if (isScoped && scope === undefined)
    throw invalid(
      'its records have owners, so it needs the option scope, such as scope: (c) => c.currentUser?.id',
    )
  if (!isScoped && scope !== undefined)
    throw invalid('it has the option scope, but no model with the option scopedBy')
}

function checkFields(types: ParamTypes, invalid: (why: string) => FwError): void {
  if (Object.keys(types).length === 0)
    throw invalid('its strong parameters are empty, so nothing could be written')
  const reserved = unnamedParameters.find((name) => Object.hasOwn(types, name))
  if (reserved !== undefined)
    throw invalid(`the field '${reserved}' has the name of values of the path: rename it`)
}

function checkPageByKey(
  { model, itemsName }: AnyResourceOptions,
  { sort = [], filter = [], search = [], parameters = [] }: PageByKey,
  invalid: (why: string) => FwError,
): void {
  const { columns } = model
  if (columns === undefined || !(hasOwners(model) || model.paginate !== undefined))
    throw invalid('pageByKey needs a model with columns and paginate')
  const unknown = [...sort, ...filter, ...search].find((field) => !Object.hasOwn(columns, field))
  if (unknown !== undefined)
    throw invalid(`pageByKey names the field '${unknown}', which the model has not`)
  const taken = [...filter, ...parameters].find((field) =>
    listParameters.some((reserved) => reserved === field),
  )
  if (taken !== undefined)
    throw invalid(`pageByKey cannot filter by '${taken}', the name of another parameter`)
  if (itemsName === 'list')
    throw invalid("with pageByKey, views get another value as 'list': change itemsName")
}

/**
 * Assigns path parameters to the parent of a resource and to that parent's own parents.
 * @throws FwError `resource.option-invalid`
 */
export function resolveParent(options: AnyResourceOptions): ResolvedParent | undefined {
  const { parent, model, resourcesName, resourcesBasePathPrefix = '' } = options
  if (parent === undefined) return undefined
  const params = [...resourcesBasePathPrefix.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const resolved = resolveChain(parent, params.toReversed(), resourcesName)
  if (!hasOwners(model) && model.where === undefined)
    throw invalidOption(resourcesName, 'a parent needs a model with where, to find its records')
  return resolved
}

/** Assigns a path parameter to a parent and to each of its own parents. `params` are the path's parameters in reverse order. */
function resolveChain(
  { model, field, parent }: ResourceParent,
  [param, ...before]: readonly string[],
  resourcesName: string,
): ResolvedParent {
  if (param === undefined)
    throw invalidOption(
      resourcesName,
      'each parent needs a parameter in resourcesBasePathPrefix, such as /companies/:companyId',
    )
  if (parent !== undefined && model.columns && !Object.hasOwn(model.columns, parent.field))
    throw invalidOption(resourcesName, `the model of its parent has no field '${parent.field}'`)
  return { model, field, param, parent: parent && resolveChain(parent, before, resourcesName) }
}

const invalidOption = (name: string, why: string): FwError =>
  new FwError('resource.option-invalid', `The resource '${name}' is invalid: ${why}.`)
