/** What a resource is told: its model, its names, and the fields that clients may send. */
import { FwError } from '../base.ts'
import type { ResourceModel } from '../model.ts'
import type { ParamType, ParamTypes } from '../params.ts'

/** Where the records of a resource inside another one belong to. */
export interface ResourceParent<Field extends string = string> {
  /** Of the last parameter of `resourcesBasePathPrefix`. */
  readonly model: {
    readonly idType: ParamType<unknown>
    readonly columns?: ParamTypes
    findById(id: never): Promise<object | undefined>
  }
  /** The field of a record that holds its parent's id; it is written on creation, whatever the client sends. */
  readonly field: Field
  /**
   * The parent of the parent: what the parameter before names, by a field of the parent's rows. It is 404 for all below
   * where it is not there, or another one.
   */
  readonly parent?: ResourceParent
}

/**
 * The options of `FwResource`; an instance has every one of them as a member.
 * @spec Resource controller hooks (FwResource)
 */
export interface ResourceOptions<
  Row extends object,
  Id,
  S extends ParamTypes,
  Name extends string,
  Prefix extends string = string,
> {
  readonly model: ResourceModel<Row, Id>
  /** Plural: the path, the folder of the views, the root of XML lists. */
  readonly resourcesName: Name
  /** Singular: the element of XML lists, the name in flash texts. */
  readonly resourceName: string
  /**
   * Before the path: `/admin`, or `/companies/:companyId` for a resource inside another one, whose actions then read
   * that parameter. Its plain parts are folders of the views. Empty unless given.
   */
  readonly resourcesBasePathPrefix?: Prefix
  /**
   * What the last parameter of the prefix names: its records alone are found, and created. Views find it as `parent`.
   * Parameters before it are checked where it has a `parent` itself.
   * Needs a model with `where`, as Fw's own.
   */
  readonly parent?: ResourceParent<keyof NoInfer<Row> & string>
  /** The prefix of labels and flash texts among the messages; `resourceName` unless given. */
  readonly messageResourceName?: string
  readonly createFormStrongParameters: S
  /** Those of creation unless given. */
  readonly updateFormStrongParameters?: ParamTypes
  /** Under which views find the list; `items` unless given. */
  readonly itemsName?: string
  /** Under which views find the record; `item` unless given. */
  readonly itemName?: string
  /** Rows of a page; 20 unless given. */
  readonly pageSize?: number
  /**
   * Programs must say in `If-Match` which version they change or delete, and `*` says none: else 428. Who sends PUT, PATCH
   * or DELETE itself is one; forms of pages post. False unless given.
   */
  readonly requireIfMatch?: boolean
}

/** The parent, and the parameter of the path that names it. */
export interface ResolvedParent {
  readonly model: {
    readonly idType: ParamType<unknown>
    findById(id: unknown): Promise<object | undefined>
  }
  readonly field: string
  readonly param: string
  readonly parent: ResolvedParent | undefined
}

/** The options with their defaults. */
export interface ResolvedOptions {
  readonly model: ResourceModel<object, unknown>
  readonly resourcesName: string
  readonly resourceName: string
  readonly resourcesBasePathPrefix: string
  readonly parent: ResolvedParent | undefined
  readonly messageResourceName: string
  readonly createFormStrongParameters: ParamTypes
  readonly updateFormStrongParameters: ParamTypes
  readonly itemsName: string
  readonly itemName: string
  readonly pageSize: number
  readonly requireIfMatch: boolean
  /** Whether browsers are answered with pages; else programs alone are. */
  readonly hasPages: boolean
}

/** Under it the prototypes that a trait made, and no other, have its options. */
export const optionsOfTrait = Symbol('options of the resource')

type AnyOptions = ResourceOptions<object, unknown, ParamTypes, string>

const segment = /^[A-Za-z0-9_~-]+$/
const prefixPath = /^(?:\/(?:[A-Za-z0-9_~-]+|:[A-Za-z_]\w*))*$/

/** @throws FwError `resource.option-invalid` */
export function resolveOptions(options: AnyOptions, hasPages: boolean): ResolvedOptions {
  const { resourcesName, createFormStrongParameters, pageSize = 20 } = options
  const { resourcesBasePathPrefix = '', messageResourceName = options.resourceName } = options
  if (!segment.test(resourcesName)) {
    throw invalid(
      resourcesName,
      'resourcesName is a part of paths: use letters, digits, - and _ only',
    )
  }
  if (!prefixPath.test(resourcesBasePathPrefix))
    throw invalid(resourcesName, 'resourcesBasePathPrefix is written /like/this or /like/:this')
  const updateFormStrongParameters =
    options.updateFormStrongParameters ?? createFormStrongParameters
  for (const types of [createFormStrongParameters, updateFormStrongParameters]) {
    if (Object.keys(types).length === 0)
      throw invalid(resourcesName, 'strong parameters name no field, so nothing could be written')
  }
  if (!Number.isSafeInteger(pageSize) || pageSize < 1)
    throw invalid(resourcesName, 'pageSize is not a number of 1 or more')
  return {
    ...options,
    resourcesBasePathPrefix,
    parent: resolveParent(options),
    messageResourceName,
    updateFormStrongParameters,
    itemsName: options.itemsName ?? 'items',
    itemName: options.itemName ?? 'item',
    pageSize,
    requireIfMatch: options.requireIfMatch ?? false,
    hasPages,
  }
}

function resolveParent(options: AnyOptions): ResolvedParent | undefined {
  const { parent, model, resourcesName, resourcesBasePathPrefix = '' } = options
  if (parent === undefined) return undefined
  const params = [...resourcesBasePathPrefix.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const resolved = chained(parent, params.toReversed(), resourcesName)
  if (model.where === undefined)
    throw invalid(resourcesName, 'a parent needs a model with where, to find its records alone')
  return resolved
}

/** A parent and its own, each with its parameter; `params` are those of the path, the last one first. */
function chained(
  { model, field, parent }: ResourceParent,
  [param, ...before]: readonly string[],
  resourcesName: string,
): ResolvedParent {
  if (param === undefined)
    throw invalid(
      resourcesName,
      'a parent is named by resourcesBasePathPrefix, each by a parameter of its own, such as /companies/:companyId',
    )
  if (parent !== undefined && model.columns && !Object.hasOwn(model.columns, parent.field))
    throw invalid(resourcesName, `the model of its parent has no field '${parent.field}'`)
  return {
    model,
    field,
    param,
    parent: parent && chained(parent, before, resourcesName),
  }
}

function invalid(name: string, why: string): FwError {
  return new FwError('resource.option-invalid', `The resource '${name}' cannot stand: ${why}.`)
}
