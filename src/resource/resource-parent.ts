/** A resource inside another one: whose records it shows, and to whom new ones belong. */
import type { Params, ParamTypes } from '../params.ts'
import type { ResourceHost } from './resource-actions.ts'
import type { ResolvedOptions } from './resource-options.ts'

type Fields = Readonly<Record<string, unknown>>

/** The parent's id as the path has it; `undefined` where it does not convert, or there is no parent. */
function parentId({ ctx }: ResourceHost, { parent }: ResolvedOptions): unknown {
  const text = parent === undefined ? undefined : ctx.pathParam(parent.param)
  return text === undefined ? undefined : parent!.model.idType.parse(text)
}

/** Finds the parent for the views; halts with 404 where there is none. Nothing for a resource of its own. */
export async function requireParent(c: ResourceHost, options: ResolvedOptions): Promise<void> {
  if (options.parent === undefined) return
  const id = parentId(c, options)
  const record = id === undefined ? undefined : await c.findParent(id)
  if (record === undefined) c.haltWithBody(404)
  c.set('parent', record)
}

/** The records that may be seen here: all of the model's, or the parent's. */
export function recordsOf(c: ResourceHost, options: ResolvedOptions) {
  const { model, parent } = options
  if (parent === undefined) return model
  return model.where!({ [parent.field]: parentId(c, options) })
}

/** Whether a record is the parent's; ids are compared as the path would write them. */
export function belongs(c: ResourceHost, options: ResolvedOptions, record: object): boolean {
  const { parent } = options
  if (parent === undefined) return true
  const owner = (record as Fields)[parent.field]
  return owner !== undefined && owner !== null && String(owner) === String(parentId(c, options))
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
