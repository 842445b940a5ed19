/** Finds the record of a request. Checks its parent and the version that `If-Match` requires. */
import { Halt } from '../action.ts'
import { HttpError } from '../base.ts'
import { bodyEntityTag, evaluatePreconditions, isConditional, parseEntityTags } from '../http.ts'
import type { Params, ParamTypes } from '../params.ts'
import type { DescribedResourceModel, ResourceModel } from '../model.ts'
import { entityBody, type EntityFormat } from './entity-body.ts'
import type { ResourceController } from './resource-controller.ts'
import { hasOwners, traitOptions, type ResolvedParent } from './resource-options.ts'

export interface Found {
  readonly id: unknown
  readonly record: object
}

const readId = (c: ResourceController): unknown =>
  c.params.getAs('id', c.model.idType) ?? c.haltWithBody(404)

async function findById(c: ResourceController, id: unknown): Promise<Found> {
  const record = await tryFind(c, id)
  return record === undefined ? c.haltWithBody(404) : { id, record }
}

/** Returns the record with the id; undefined if the resource does not have it, or no longer has it after a write. */
export async function tryFind(c: ResourceController, id: unknown): Promise<object | undefined> {
  const record = await c.findResource(id)
  return record !== undefined && belongsToParent(c, record) ? record : undefined
}

/** Finds the record with the path's id. Halts with 404 if the id does not convert or no record of the resource has it. */
export async function findRecord(c: ResourceController): Promise<Found> {
  await requireParent(c)
  return findById(c, readId(c))
}

/** Returns a halt with a status below 500 instead of throwing it, because a thrown halt would roll the transaction back. */
export function haltThatCommits({ response }: ResourceController, error: unknown): Halt {
  if (error instanceof Halt && (error.options.status ?? response.status) < 500) return error
  throw error
}

/**
 * Finds the record and calls `change`. If the request has a precondition such as `If-Match`, both run in one transaction that
 * first locks the row. Of two concurrent changes of the same version, the second fails with 412.
 * @throws HttpError 412 `resource.version-changed`, 428 `resource.version-missing`
 */
export async function changeRecord<T>(
  c: ResourceController,
  format: EntityFormat | undefined,
  change: (found: Found) => Promise<T>,
): Promise<T> {
  if (!namesVersion(c, format)) return change(await findRecord(c))
  await requireParent(c)
  const id = readId(c)
  const { records } = c
  const work = async (): Promise<T | Halt> => {
    await records.findByIdForUpdate?.(id)
    // After the lock, find the record with the application's own finder, as a request that reads it does.
    const found = await findById(c, id)
    await requireVersion(c, format, found.record)
    return change(found).catch((error: unknown) => haltThatCommits(c, error))
  }
  const changed = await (records.inTransaction === undefined ? work() : records.inTransaction(work))
  if (changed instanceof Halt) throw changed
  return changed
}

/** Converts records to the output for JSON and XML. Applies the view `output`, if the resource has one. */
export async function toOutputs(
  c: ResourceController,
  records: readonly object[],
): Promise<readonly object[]> {
  const { output } = c
  return output === undefined
    ? records
    : ((await output.load(records, c.records)) as readonly object[])
}

/** Sets the response's `ETag`, so that a client with the current version gets 304. */
export function tagResponse({ response: { headers } }: ResourceController, content: string): void {
  headers.set('ETag', bodyEntityTag(content))
  if (!headers.has('cache-control')) headers.set('Cache-Control', 'private, no-cache')
}

/**
 * Whether the request has a precondition such as `If-Match`.
 * @throws HttpError 428 `resource.version-missing` if `requireIfMatch` is set and the request has no ETag
 */
function namesVersion(c: ResourceController, format: EntityFormat | undefined): boolean {
  const { request, requireIfMatch } = c
  const isProgram =
    request.http.method !== 'POST' || format !== undefined || request.parsedBody !== undefined
  // `*` matches every version, so it does not prove that the client has read one.
  const header = request.header('if-match')
  const namesNone = header === undefined || parseEntityTags(header) === '*'
  if (requireIfMatch && isProgram && namesNone)
    throw new HttpError(
      428,
      'resource.version-missing',
      'Name in If-Match the version that this changes: the ETag with which the record was read.',
    )
  return isConditional(request.http)
}

/**
 * Returns the header's ETags as strong ones. A malformed list becomes a tag that no version has. Otherwise the header would
 * count as absent, and the change would be made.
 */
function strongTags(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  return parseEntityTags(header) === undefined ? '""' : header.replaceAll('W/"', '"')
}

/**
 * Throws unless the request's preconditions match the record's ETag in the response's format, or in any format for pages. Weak
 * tags match too, because compression makes a tag weak.
 * @throws HttpError 412 `resource.version-changed`
 */
async function requireVersion(
  c: ResourceController,
  format: EntityFormat | undefined,
  record: object,
): Promise<void> {
  const { request } = c
  const conditions = {
    method: request.method,
    header: (name: string) =>
      name === 'if-match' ? strongTags(request.header(name)) : request.header(name),
  }
  const [output] = await toOutputs(c, [record])
  const matches = (one: EntityFormat): boolean =>
    evaluatePreconditions(conditions, { etag: bodyEntityTag(entityBody(one, c, output!)) }) ===
    'proceed'
  const formats: readonly EntityFormat[] = format === undefined ? ['json', 'xml'] : [format]
  if (formats.some(matches)) return
  throw new HttpError(
    412,
    'resource.version-changed',
    'This is not the version that If-Match names. Load the record again, then repeat the change.',
  )
}

/** Returns the parent's id from the path; `undefined` if it does not convert. */
function pathId({ ctx }: ResourceController, { model, param }: ResolvedParent): unknown {
  const text = ctx.pathParam(param)
  return text === undefined ? undefined : model.idType.parse(text)
}

/** Whether the record's field contains the parent's id. Compares ids as text, because ids in paths are text. */
function hasParentId(record: object, field: string, id: unknown): boolean {
  const value = (record as Readonly<Record<string, unknown>>)[field]
  return value !== undefined && value !== null && String(value) === String(id)
}

/**
 * Finds the parent, checks the parent's own parents, and passes the parent to the view. Halts with 404 if a parent does not
 * match the path.
 */
export async function requireParent(c: ResourceController): Promise<void> {
  const { parent } = c[traitOptions]
  if (parent === undefined) return
  const id = pathId(c, parent)
  const record = id === undefined ? undefined : await c.findParent(id)
  if (record === undefined || !(await hasParents(c, record, parent.parent))) c.haltWithBody(404)
  c.set('parent', record)
}

/** Whether the record's parent, and the parents of that parent, exist and match the path. */
async function hasParents(
  c: ResourceController,
  record: object,
  parent: ResolvedParent | undefined,
): Promise<boolean> {
  if (parent === undefined) return true
  const id = pathId(c, parent)
  if (id === undefined || !hasParentId(record, parent.field, id)) return false
  const above = await findIn(c, parent.model, id)
  return above !== undefined && hasParents(c, above, parent.parent)
}

type AnyModel = ResourceModel<object, unknown>

/**
 * Returns the model of the rows that the request may use: those of the owner that the option `scope` names. Halts with 401 without
 * an owner. A model whose rows have no owners is returned unchanged.
 */
export function scopedModel(
  c: ResourceController,
  model: DescribedResourceModel<unknown>,
): AnyModel {
  if (!hasOwners(model)) return model as AnyModel
  const owner = c[traitOptions].scope!(c as never)
  return model.scoped(owner ?? c.haltWithBody(401))
}

/** Finds a row of the resource's model or of a parent's model, among those that the request may use. */
export const findIn = (
  c: ResourceController,
  model: DescribedResourceModel<unknown>,
  id: unknown,
): Promise<object | undefined> => scopedModel(c, model).findById(id)

/** Returns the records of the resource, in a nested resource only those of the parent. */
export function listedRecords(c: ResourceController) {
  const { records } = c
  const { parent } = c[traitOptions]
  return parent === undefined ? records : records.where!({ [parent.field]: pathId(c, parent) })
}

function belongsToParent(c: ResourceController, record: object): boolean {
  const { parent } = c[traitOptions]
  return parent === undefined || hasParentId(record, parent.field, pathId(c, parent))
}

/** Returns the parameters with the parent's id from the path, which replaces the value that the client sent. */
export function withParentId(c: ResourceController, params: Params): Params {
  const { parent } = c[traitOptions]
  return parent === undefined ? params : params.with(parent.field, String(pathId(c, parent)))
}

/** Returns the fields that creation writes: the permitted fields and the parent's id. */
export function createdFields(c: ResourceController): ParamTypes {
  const { parent } = c[traitOptions]
  return parent === undefined
    ? c.createFormStrongParameters
    : { ...c.createFormStrongParameters, [parent.field]: parent.model.idType }
}
