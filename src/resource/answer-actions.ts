/** The actions of a resource, each on the road from request to answer. */
import { Created } from '../http.ts'
import type { Validation } from '../validation.ts'
import { entitiesXml, entityBody, entityJson, type EntityFormat } from './entity-body.ts'
import { tagAnswer } from './entity-version.ts'
import { changeFound, find } from './find-record.ts'
import { renderOwn, setCompletionFlash } from './page-answers.ts'
import { deleteOrRefuse, writeOrRefuse } from './refused-write.ts'
import type { ResourceHost } from './resource-actions.ts'
import { checkBody, sentTypes } from './resource-body.ts'
import type { ResolvedOptions } from './resource-options.ts'
import { createdFields, ofParent, requireParent } from './resource-parent.ts'
import {
  answer,
  answerErrors,
  basePath,
  entityFormat,
  pageOf,
  pathOf,
  tellPages,
} from './resource-request.ts'

export async function list(c: ResourceHost, options: ResolvedOptions): Promise<unknown> {
  const format = entityFormat(c, options)
  await requireParent(c, options)
  const page = pageOf(c, options.pageSize)
  const items = await c.findResources(page.page, page.size)
  const total = await c.countResources()
  const pages = Math.ceil(total / page.size)
  if (format !== undefined) {
    tellPages(c, options, page, { total, pages })
    const body = format === 'json' ? entityJson(options, items) : entitiesXml(options, items)
    tagAnswer(c, `${total}\n${body}`)
    return answer(c, format, body)
  }
  c.set(options.itemsName, items)
  c.set('page', page.page)
  c.set('totalPages', pages)
  return renderOwn(c, options, 'index')
}

export async function show(c: ResourceHost, options: ResolvedOptions): Promise<unknown> {
  const format = entityFormat(c, options)
  const { record } = await find(c, options)
  if (format !== undefined) {
    const body = entityBody(format, options, record)
    tagAnswer(c, body)
    return answer(c, format, body)
  }
  c.set(options.itemName, record)
  return renderOwn(c, options, 'show')
}

export async function showNew(c: ResourceHost, options: ResolvedOptions): Promise<unknown> {
  await requireParent(c, options)
  return renderOwn(c, options, 'new')
}

export async function edit(c: ResourceHost, options: ResolvedOptions): Promise<unknown> {
  const { record } = await find(c, options)
  c.set(options.itemName, record)
  c.set('params', c.params.withModel(record))
  return renderOwn(c, options, 'edit')
}

function refuse(
  c: ResourceHost,
  options: ResolvedOptions,
  failed: Validation<string>,
  view: string,
  format: EntityFormat | undefined,
): unknown {
  if (format === undefined) return renderOwn(c, options, view)
  return answerErrors(c, format, options.resourcesName, failed)
}

export async function create(c: ResourceHost, options: ResolvedOptions): Promise<unknown> {
  const format = entityFormat(c, options)
  await requireParent(c, options)
  const types = options.createFormStrongParameters
  checkBody(c, types)
  const form = c.createForm()
  if (!form.validate()) return refuse(c, options, form, 'new', format)
  const sent = sentTypes(c, createdFields(options))
  const permitted = ofParent(c, options, c.createParams()).permit(sent)
  const write = () => c.doCreateAndReturnId(permitted)
  const written = await writeOrRefuse(c, options, { form, types, permitted, write })
  if (written === undefined) return refuse(c, options, form, 'new', format)
  const path = c.url(pathOf(c, options, written.value))
  if (format !== undefined) return Created(undefined, { Location: `${path}.${format}` })
  setCompletionFlash(c, options, 'created')
  return c.redirect(path)
}

export async function update(c: ResourceHost, options: ResolvedOptions): Promise<unknown> {
  const format = entityFormat(c, options)
  const types = options.updateFormStrongParameters
  checkBody(c, types)
  return changeFound(c, options, format, async ({ id, record }) => {
    const isPatch = c.request.method === 'PATCH'
    const form = isPatch ? c.updateForm().partial() : c.updateForm()
    const again = () => {
      c.set(options.itemName, record)
      return refuse(c, options, form, 'edit', format)
    }
    if (!form.validate()) return again()
    const params = ofParent(c, options, c.updateParams())
    const sent = sentTypes(c, types)
    const permitted = isPatch ? params.permitPartial(sent) : params.permit(sent)
    const write = () => c.doUpdate(id, permitted)
    if ((await writeOrRefuse(c, options, { form, types, permitted, write })) === undefined)
      return again()
    if (format !== undefined) return answer(c, format, '')
    setCompletionFlash(c, options, 'updated')
    return c.redirect(c.url(pathOf(c, options, id)))
  })
}

export async function destroy(c: ResourceHost, options: ResolvedOptions): Promise<unknown> {
  const format = entityFormat(c, options)
  return changeFound(c, options, format, async ({ id }) => {
    const kept = await deleteOrRefuse(c, options, format, () => c.doDestroy(id))
    if (kept !== undefined) return kept.page
    if (format !== undefined) return answer(c, format, '')
    setCompletionFlash(c, options, 'deleted')
    return c.redirect303(c.url(basePath(c, options)))
  })
}
