/** The options of a resource: its model, its names, and the fields that clients may send. */
import { FwError } from '../base.ts'
import type { DescribedView } from '../controller.ts'
import type { ReadOnlyResourceModel, Relations, ResourceModel } from '../model.ts'
import type { ParamType, ParamTypes } from '../params.ts'

/** The parent of a nested resource. */
export interface ResourceParent<Field extends string = string> {
  /** The model of the last parameter of `resourcesBasePathPrefix`. */
  readonly model: {
    readonly idType: ParamType<unknown>
    readonly columns?: ParamTypes
    findById(id: never): Promise<object | undefined>
  }
  /** The field of a record that contains its parent's id; creation always writes it from the path. */
  readonly field: Field
  /**
   * The parent of the parent: the record of the parameter before, by a field of the parent's rows. If it does not exist
   * or is another one, the response is 404.
   */
  readonly parent?: ResourceParent
}

/** A view of the model, as `FwModel.view` creates it. */
export interface RecordOutput<Row extends object, Parts = unknown> extends DescribedView {
  /** Exists only as a type. */
  readonly parts?: Parts
  load(rows: readonly Row[]): Promise<readonly unknown[]>
}

/** The options of every resource. */
interface SharedOptions<Row extends object, Name extends string, Prefix extends string, Parts> {
  /** Plural: the path, the folder of the views, the root of XML lists. */
  readonly resourcesName: Name
  /** Singular: the element of XML lists, the name in flash texts. */
  readonly resourceName: string
  /**
   * The beginning of the path: `/admin`, or `/companies/:companyId` for a nested resource. Its literal parts are also
   * folders of the views. Default empty.
   */
  readonly resourcesBasePathPrefix?: Prefix
  /**
   * The record of the last parameter of the prefix: actions find and create only its records. Views get it as `parent`.
   * Earlier parameters are checked if it has a `parent` itself.
   * Needs a model with `where`, such as Fw's own.
   */
  readonly parent?: ResourceParent<keyof NoInfer<Row> & string>
  /**
   * Relations that pages show: the member `company` of each record with `{ company: memberCompany }`. JSON and XML do not
   * have them.
   */
  readonly include?: Relations<string>
  /**
   * The view of the model that JSON and XML of a record have: `Member.view({ fields: ['id', 'name'] })`. Default: all fields
   * that are not hidden.
   */
  readonly output?: RecordOutput<NoInfer<Row>, Parts>
  /** The prefix of the message keys of labels and flash texts; default `resourceName`. */
  readonly messageResourceName?: string
  /** The name of the list in views; default `items`. */
  readonly itemsName?: string
  /** The name of the record in views; default `item`. */
  readonly itemName?: string
  /** Records on a page of the list; default 20. */
  readonly pageSize?: number
  /**
   * Pages of the list begin after a record instead of having a number: inserts move no record to another page, and each
   * page costs the same. Names the fields that clients may sort by, filter by and search in. Views get `list`.
   * Needs a model with `paginate`, such as Fw's own.
   */
  readonly pageByKey?: PageByKey<keyof NoInfer<Row> & string>
}

/**
 * The options of `FwResource` without strong parameters: the resource only lists and shows records, and its model needs no
 * writes. Each option is also a member of the controller, which a subclass may override.
 * @spec Resource controller hooks (FwResource)
 */
export interface ReadOnlyResourceOptions<
  Row extends object,
  Id,
  Name extends string,
  Prefix extends string = string,
  Hidden extends string = string,
  Parts = unknown,
> extends SharedOptions<Row, Name, Prefix, Parts> {
  readonly model: ReadOnlyResourceModel<Row, Id, Hidden>
  readonly createFormStrongParameters?: undefined
}

/**
 * The options of `FwResource`. Each is also a member of the controller, which a subclass may override.
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
> extends SharedOptions<Row, Name, Prefix, Parts> {
  readonly model: ResourceModel<Row, Id, Hidden>
  readonly createFormStrongParameters: S
  /** Default `createFormStrongParameters`. */
  readonly updateFormStrongParameters?: ParamTypes
  /**
   * API clients must name in `If-Match` the version that they change or delete, else the response is 428; `*` is not a
   * version. A request with PUT, PATCH or DELETE counts as one of an API client; forms of pages use POST. Default
   * false.
   */
  readonly requireIfMatch?: boolean
}

/** The fields of a list by key; absent means none. */
export interface PageByKey<Field extends string = string> {
  /** `?sort=name` and `?sort=-name`. An index of the field and the primary key keeps each page fast. */
  readonly sort?: readonly Field[]
  /** `?countryId=7`: only records with this value. */
  readonly filter?: readonly Field[]
  /** `?q=ann`: only records with this text in one of the fields, in any case. The columns are texts. */
  readonly search?: readonly Field[]
}

/** A parent with its parameter of the path. */
export interface ResolvedParent {
  readonly model: {
    readonly idType: ParamType<unknown>
    findById(id: unknown): Promise<object | undefined>
  }
  readonly field: string
  readonly param: string
  readonly parent: ResolvedParent | undefined
}

/** The options that are not members. */
export interface TraitOptions {
  readonly parent: ResolvedParent | undefined
  /** Whether browsers get pages; else there are only JSON and XML. */
  readonly hasPages: boolean
}

/** Only the prototypes that a trait has made have an own property of this name. */
export const traitOptions: unique symbol = Symbol('options of the resource')

/** The options of any resource. */
export type AnyResourceOptions =
  | ResourceOptions<object, unknown, ParamTypes, string>
  | ReadOnlyResourceOptions<object, unknown, string>

const segment = /^[A-Za-z0-9_~-]+$/
const prefixPath = /^(?:\/(?:[A-Za-z0-9_~-]+|:[A-Za-z_]\w*))*$/

/** @throws FwError `resource.option-invalid` */
export function checkOptions(options: AnyResourceOptions): void {
  const { resourcesName, resourcesBasePathPrefix = '', pageSize = 20 } = options
  const writes = options.createFormStrongParameters === undefined ? undefined : options
  if (!segment.test(resourcesName)) {
    throw invalidOption(
      resourcesName,
      'resourcesName is a part of paths: use letters, digits, - and _ only',
    )
  }
  if (!prefixPath.test(resourcesBasePathPrefix))
    throw invalidOption(
      resourcesName,
      'resourcesBasePathPrefix is written /like/this or /like/:this',
    )
  for (const types of [writes?.createFormStrongParameters, writes?.updateFormStrongParameters]) {
    if (types !== undefined && Object.keys(types).length === 0)
      throw invalidOption(
        resourcesName,
        'its strong parameters are empty, so nothing could be written',
      )
  }
  if (!Number.isSafeInteger(pageSize) || pageSize < 1)
    throw invalidOption(resourcesName, 'pageSize must be an integer of 1 or more')
  if (options.pageByKey !== undefined) checkPageByKey(options, options.pageByKey)
}

/** The parameters of a list by key, which no filter can have as its name. */
const listParams = ['after', 'before', 'size', 'sort', 'q', 'total', 'page', 'format']

function checkPageByKey(
  { resourcesName, model, itemsName }: AnyResourceOptions,
  by: PageByKey,
): void {
  const { sort = [], filter = [], search = [] } = by
  const { columns } = model
  if (columns === undefined || model.paginate === undefined)
    throw invalidOption(resourcesName, 'pageByKey needs a model with columns and paginate')
  const unknown = [...sort, ...filter, ...search].find((field) => !Object.hasOwn(columns, field))
  if (unknown !== undefined)
    throw invalidOption(
      resourcesName,
      `pageByKey names the field '${unknown}', which the model has not`,
    )
  const taken = filter.find((field) => listParams.includes(field))
  if (taken !== undefined)
    throw invalidOption(
      resourcesName,
      `pageByKey cannot filter by '${taken}', the name of another parameter`,
    )
  if (itemsName === 'list')
    throw invalidOption(
      resourcesName,
      "with pageByKey, views get another value as 'list': change itemsName",
    )
}

/** @throws FwError `resource.option-invalid` */
export function resolveParent(options: AnyResourceOptions): ResolvedParent | undefined {
  const { parent, model, resourcesName, resourcesBasePathPrefix = '' } = options
  if (parent === undefined) return undefined
  const params = [...resourcesBasePathPrefix.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const resolved = resolveChain(parent, params.toReversed(), resourcesName)
  if (model.where === undefined)
    throw invalidOption(resourcesName, 'a parent needs a model with where, to find its records')
  return resolved
}

/** Resolves a parent and its own parents; `params` are the path's parameters, the last one first. */
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
  return {
    model,
    field,
    param,
    parent: parent && resolveChain(parent, before, resourcesName),
  }
}

const invalidOption = (name: string, why: string): FwError =>
  new FwError('resource.option-invalid', `The resource '${name}' is invalid: ${why}.`)
