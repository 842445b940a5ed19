/** The actions of a resource, which respond with pages to browsers and with JSON or XML to API clients. */
import { FwError, type HttpError } from '../base.ts'
import type { FwController } from '../controller.ts'
import { authorizeAction, mayAct } from '../feature.ts'
import { Created, NoContent } from '../http.ts'
import { foundRowsOf, loadRelations } from '../model.ts'
import { type ParamTypes, PermitError, type PermittedValues } from '../params.ts'
import { schemaRefusals, type Validation } from '../validation.ts'
import { entityBody, type EntityFormat } from './entity-body.ts'
import {
  changeRecord,
  createdFields,
  findRecord,
  haltThatCommits,
  requireParent,
  tagResponse,
  toOutputs,
  tryFind,
  withParentId,
} from './find-record.ts'
import { isSearching } from './find-options.ts'
import { findKeyList, setListHeaders, toResourceList } from './key-list.ts'
import { findUnchanged, formParams } from './record-form.ts'
import { flashText, tryDelete, tryWrite } from './refused-write.ts'
import type { ResourceActions, ResourceController } from './resource-controller.ts'
import type { PageByKey } from './resource-options.ts'
import {
  checkBody,
  checkShapes,
  entityFormat,
  readPage,
  recordPath,
  resourcePath,
  respondTyped,
  respondWithErrors,
  sentTypes,
  setPageLinks,
} from './resource-request.ts'

export async function showResources(c: ResourceController): Promise<unknown> {
  const format = entityFormat(c)
  await requireParent(c)
  authorizeAction(c, 'index')
  if (c.pageByKey !== undefined) return showKeyList(c, format, c.pageByKey)
  const { page, size } = readPage(c)
  const [items, total] = await Promise.all([c.findResources(page, size), c.countResources()])
  const pages = Math.ceil(total / size)
  if (format !== undefined) {
    c.response.headers.set('X-Total-Count', total)
    if (pages > 0) setPageLinks(c, page, pages)
    return respondEntity(c, format, await toOutputs(c, items), `${total}\n`)
  }
  await attachRelations(c, items)
  c.set(c.itemsName, items)
  c.set('page', page)
  c.set('totalPages', pages)
  return renderOwn(c, 'index')
}

async function showKeyList(
  c: ResourceController,
  format: EntityFormat | undefined,
  by: PageByKey,
): Promise<unknown> {
  const list = await findKeyList(c, by)
  const { page } = list
  if (format !== undefined) {
    setListHeaders(c, page)
    const { total, next, previous } = page
    const found = c.output === undefined ? foundRowsOf(page) : undefined
    const outputs = found ?? (await toOutputs(c, page.rows))
    return respondEntity(c, format, outputs, `${total} ${next} ${previous}\n`)
  }
  const { rows } = page
  await attachRelations(c, rows)
  c.set(c.itemsName, rows)
  c.set('list', toResourceList(list))
  return renderOwn(c, 'index')
}

/** Responds with records and their `ETag`. `position` is the part of a list's version that its records do not contain. */
function respondEntity(
  c: ResourceController,
  format: EntityFormat,
  outputs: object,
  position = '',
): string {
  const body = entityBody(format, c, outputs)
  tagResponse(c, position + body)
  return respondTyped(c, format, body)
}

export async function showResource(c: ResourceController): Promise<unknown> {
  const format = entityFormat(c)
  const { record } = await findRecord(c)
  authorizeAction(c, 'show', record)
  if (format !== undefined) return respondEntity(c, format, (await toOutputs(c, [record]))[0]!)
  await attachRelations(c, [record])
  return renderRecord(c, record, 'show')
}

export async function newResource(c: ResourceController): Promise<unknown> {
  await requireParent(c)
  authorizeAction(c, 'create')
  return renderOwn(c, 'new')
}

export async function editResource(c: ResourceController): Promise<unknown> {
  const { record } = await findRecord(c)
  authorizeAction(c, 'update', record)
  c.set('params', formParams(c, record))
  return renderRecord(c, record, 'edit')
}

export async function createResource(c: ResourceController): Promise<unknown> {
  const format = entityFormat(c)
  await requireParent(c)
  authorizeAction(c, 'create')
  const types = c.createFormStrongParameters
  checkBody(c)
  checkShapes(c, types)
  if (format === undefined && isSearching(c)) return renderOwn(c, 'new')
  const form = c.createForm()
  const respondAgain = () =>
    format === undefined ? renderOwn(c, 'new') : respondWithErrors(c, format, form)
  if (!form.validate()) return respondAgain()
  const params = withParentId(c, c.createParams())
  const read = () => params.permit(sentTypes(c, createdFields(c)))
  const permitted = tryPermit(form, format, read)
  if (permitted === undefined) return respondAgain()
  const write = () => c.doCreateAndReturnId(permitted)
  const written = await tryWrite(c, { form, types, permitted, write })
  if (written === undefined) return respondAgain()
  const path = c.url(recordPath(c, written.value))
  if (format !== undefined) {
    const body = await respondWritten(c, format, written.value)
    return Created(body, { Location: `${path}.${format}` })
  }
  setCompletionFlash(c, 'created')
  return c.redirect(path)
}

export async function updateResource(c: ResourceController): Promise<unknown> {
  const format = entityFormat(c)
  const types = c.updateFormStrongParameters
  checkBody(c)
  return changeRecord(c, format, async ({ id, record }) => {
    authorizeAction(c, 'update', record)
    if (format === undefined && isSearching(c)) return renderRecord(c, record, 'edit')
    const isPatch = c.request.method === 'PATCH'
    const params = withParentId(c, c.updateParams())
    const sent = sentTypes(c, types)
    const { keys: unchanged, unreadable } = findUnchanged(c, record, { params, types: sent })
    checkShapes(c, omitKeys(types, unchanged))
    const whole = isPatch ? c.updateForm().partial() : c.updateForm()
    const form = unreadable.size === 0 ? whole : whole.without(unreadable)
    const respondAgain = () =>
      format === undefined ? renderRecord(c, record, 'edit') : respondWithErrors(c, format, form)
    if (!form.validate()) return respondAgain()
    const changed = omitKeys(sent, unchanged)
    const read = () => (isPatch ? params.permitPartial(changed) : params.permit(changed))
    const permitted = tryPermit(form, format, read)
    if (permitted === undefined) return respondAgain()
    addUnwritten(permitted, record, unchanged)
    const write = () => c.doUpdate(id, permitted)
    if ((await tryWrite(c, { form, types, permitted, write })) === undefined) return respondAgain()
    if (format !== undefined) return (await respondWritten(c, format, id)) ?? NoContent()
    setCompletionFlash(c, 'updated')
    return c.redirect(c.url(recordPath(c, id)))
  })
}

const omitKeys = (types: ParamTypes, keys: ReadonlySet<string>): ParamTypes =>
  keys.size === 0
    ? types
    : Object.fromEntries(Object.entries(types).filter(([key]) => !keys.has(key)))

/** Adds the values of unchanged fields for the application's code. They are not enumerable, so that models do not write them. */
function addUnwritten(
  permitted: PermittedValues,
  record: object,
  unchanged: ReadonlySet<string>,
): void {
  for (const key of unchanged)
    Object.defineProperty(permitted, key, { value: record[key as keyof typeof record] })
}

/**
 * Returns the record that was just written as the response's body, or undefined if the client may not read it. A response to PUT
 * has no `ETag`: RFC 9110 §9.3.4 reserves it for records that are stored exactly as they were sent.
 */
async function respondWritten(
  c: ResourceController,
  format: EntityFormat,
  id: unknown,
): Promise<string | undefined> {
  const record = await findWritten(c, id)
  if (record === undefined) return undefined
  const [output] = await toOutputs(c, [record])
  if (c.request.method !== 'PUT') return respondEntity(c, format, output!)
  return respondTyped(c, format, entityBody(format, c, output!))
}

/** Finds the record that was just written. A `findResource` that halts counts as one that finds none: the write is stored. */
async function findWritten(c: ResourceController, id: unknown): Promise<object | undefined> {
  try {
    const record = await tryFind(c, id)
    return record !== undefined && mayAct(c, 'show', record) ? record : undefined
  } catch (error) {
    haltThatCommits(c, error)
    return undefined
  }
}

export async function destroyResource(c: ResourceController): Promise<unknown> {
  const format = entityFormat(c)
  return changeRecord(c, format, async ({ id, record }) => {
    authorizeAction(c, 'destroy', record)
    const conflict = await tryDelete(c, () => c.doDestroy(id))
    if (conflict !== undefined) return respondInUse(c, format, conflict)
    if (format !== undefined) return NoContent()
    setCompletionFlash(c, 'deleted')
    return c.redirect303(c.url(resourcePath(c)))
  })
}

/**
 * Returns the permitted values. If values are missing or do not convert although the form's rules passed, browsers get the form
 * with errors. For API clients, the error is thrown and becomes problem details.
 */
function tryPermit(
  form: Validation<string>,
  format: EntityFormat | undefined,
  read: () => PermittedValues,
): PermittedValues | undefined {
  try {
    return read()
  } catch (error) {
    if (format !== undefined || !(error instanceof PermitError)) throw error
    form.addErrors(schemaRefusals(error)!)
    return undefined
  }
}

/** Casts to a controller with views. Only resources with pages call this function, and their base class has views. */
const pageController = (c: ResourceController) =>
  c as unknown as FwController & ResourceActions<object, unknown>

/** Loads the relations of the option `include` into the records that a page shows. */
const attachRelations = (c: ResourceController, records: readonly object[]): Promise<unknown> =>
  loadRelations(c.include, records, c.records)

/** Calls `preparePage` and renders a view in the resource's folder. */
async function renderOwn(
  c: ResourceController,
  view: 'index' | 'show' | 'new' | 'edit',
): Promise<unknown> {
  await pageController(c).preparePage(view)
  const folders = c.resourcesBasePathPrefix.replace(/\/:\w+/g, '')
  return pageController(c).render(`${folders}/${c.resourcesName}/${view}` as never)
}

function renderRecord(
  c: ResourceController,
  record: object,
  view: 'show' | 'edit',
): Promise<unknown> {
  c.set(c.itemName, record)
  return renderOwn(c, view)
}

/** Sets the flash notice for the next page to the message `member.flash.created`, or by default `The member was created.` */
function setCompletionFlash(c: ResourceController, done: 'created' | 'updated' | 'deleted'): void {
  const text = flashText(c, done, `The ${c.resourceName} was ${done}.`)
  pageController(c).flash.set('notice', text)
}

/**
 * Renders the record's page with the conflict as an alert. Throws the conflict if the client requests JSON or XML, or if the
 * page has no view.
 */
async function respondInUse(
  c: ResourceController,
  format: EntityFormat | undefined,
  conflict: HttpError,
): Promise<unknown> {
  if (format !== undefined) throw conflict
  c.response.status = conflict.status
  pageController(c).flash.now.set('alert', conflict.message)
  try {
    return await c.showResource()
  } catch (error) {
    throw error instanceof FwError && error.code === 'view.not-found' ? conflict : error
  }
}
