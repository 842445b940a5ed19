/** A resource inside another one: whose records it shows, and to whom new ones belong. */
import type { Params, ParamTypes } from '../params.ts'
import type { ResourceHost } from './resource-actions.ts'
import type { ResolvedOptions, ResolvedParent } from './resource-options.ts'

type Fields = Readonly<Record<string, unknown>>

/** An id as the path has it; `undefined` where it does not convert. */
function pathId({ ctx }: ResourceHost, { model, param }: ResolvedParent): unknown {
  const text = ctx.pathParam(param)
  return text === undefined ? undefined : model.idType.parse(text)
}

/** The parent's id; `undefined` where it does not convert, or there is no parent. */
const parentId = (c: ResourceHost, { parent }: ResolvedOptions): unknown =>
  parent && pathId(c, parent)

/** Ids are compared as the path would write them. */
function pointsTo(record: object, field: string, id: unknown): boolean {
  const owner = (record as Fields)[field]
  return owner !== undefined && owner !== null && String(owner) === String(id)
}

/** Finds the parent for the views, and looks whether it stands where the path says; halts with 404 where not. */
export async function requireParent(c: ResourceHost, options: ResolvedOptions): Promise<void> {
  if (options.parent === undefined) return
  const id = parentId(c, options)
  const record = id === undefined ? undefined : await c.findParent(id)
  if (record === undefined || !(await stands(c, record, options.parent.parent))) c.haltWithBody(404)
  c.set('parent', record)
}

/** Whether the record's own parent, and that one's, are there and those of the path. */
async function stands(
  c: ResourceHost,
  record: object,
  parent: ResolvedParent | undefined,
): Promise<boolean> {
  if (parent === undefined) return true
  const id = pathId(c, parent)
  if (id === undefined || !pointsTo(record, parent.field, id)) return false
  const above = await parent.model.findById(id)
  return above !== undefined && stands(c, above, parent.parent)
}

/** The records that may be seen here: all of the model's, or the parent's. */
export function recordsOf(c: ResourceHost, options: ResolvedOptions) {
  const { model, parent } = options
  if (parent === undefined) return model
  return model.where!({ [parent.field]: parentId(c, options) })
}

/** Whether a record is the parent's. */
export function belongs(c: ResourceHost, options: ResolvedOptions, record: object): boolean {
  const { parent } = options
  return parent === undefined || pointsTo(record, parent.field, parentId(c, options))
}

/** The parameters with the parent's id in place of whatever came under its name. */
export function ofParent(c: ResourceHost, options: ResolvedOptions, params: Params): Params {
  const { parent } = options
  return parent === undefined ? params : params.with(parent.field, String(parentId(c, options)))
}

/** The fields that creation writes: the permitted ones, and the parent's. */
export function createdFields({ createFormStrongParameters, parent }: ResolvedOptions): ParamTypes {
  return parent === undefined
    ? createFormStrongParameters
    : { ...createFormStrongParameters, [parent.field]: parent.model.idType }
}
