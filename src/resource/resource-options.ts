/** What a resource is told: its model, its names, and the fields that clients may send. */
import { FwError } from '../base.ts'
import type { ResourceModel } from '../model.ts'
import type { ParamTypes } from '../params.ts'

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
}

/** The options with their defaults. */
export interface ResolvedOptions {
  readonly model: ResourceModel<object, unknown>
  readonly resourcesName: string
  readonly resourceName: string
  readonly resourcesBasePathPrefix: string
  readonly messageResourceName: string
  readonly createFormStrongParameters: ParamTypes
  readonly updateFormStrongParameters: ParamTypes
  readonly itemsName: string
  readonly itemName: string
  readonly pageSize: number
}

const segment = /^[A-Za-z0-9_~-]+$/
const prefixPath = /^(?:\/(?:[A-Za-z0-9_~-]+|:[A-Za-z_]\w*))*$/

/** @throws FwError `resource.option-invalid` */
export function resolveOptions(
  options: ResourceOptions<object, unknown, ParamTypes, string>,
): ResolvedOptions {
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
    messageResourceName,
    updateFormStrongParameters,
    itemsName: options.itemsName ?? 'items',
    itemName: options.itemName ?? 'item',
    pageSize,
  }
}

function invalid(name: string, why: string): FwError {
  return new FwError('resource.option-invalid', `The resource '${name}' cannot stand: ${why}.`)
}
