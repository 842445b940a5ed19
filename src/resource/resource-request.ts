/** What the actions of a resource ask of their request and say in their response. */
import { contentTypeOf } from '../action.ts'
import type { FwController } from '../controller.ts'
import { type Params, ParamType, toSnakeCase } from '../params.ts'
import type { Validation } from '../validation.ts'
import type { ResolvedOptions } from './resource-options.ts'
import { entityJson, entityXml, type EntityFormat } from './entity-body.ts'

/**
 * JSON or XML by the path's suffix, else by `Accept`; `undefined` for HTML.
 * Halts with 404 for another suffix and with 406 for a format that no resource has.
 */
export function entityFormat(c: FwController): EntityFormat | undefined {
  const suffix = c.ctx.pathParam('format')
  if (suffix !== undefined && suffix !== 'json' && suffix !== 'xml') c.haltWithBody(404)
  const { format } = c.ctx
  if (format === 'html') return undefined
  return format === 'json' || format === 'xml' ? format : c.haltWithBody(406)
}

/** An answer that has the type of its format even when it is empty. */
export function answer(c: FwController, format: EntityFormat, body: string): string {
  c.response.headers.set('Content-Type', contentTypeOf(format))
  return body
}

/** One record. */
export function answerEntity(
  c: FwController,
  format: EntityFormat,
  root: string,
  entity: object,
): string {
  return answer(c, format, format === 'json' ? entityJson(entity) : entityXml(root, entity))
}

/** Status 400 is set already; every validated key with its messages in JSON, those that failed in XML. */
export function answerErrors(
  c: FwController,
  format: EntityFormat,
  root: string,
  failed: Validation<string>,
): string {
  const errors = failed.keyAndErrorMessages.toJSON()
  return answer(c, format, format === 'json' ? JSON.stringify(errors) : entityXml(root, errors))
}

/** The path of the resource, the parameters of its prefix filled in from this request's own. */
export function basePath(c: FwController, options: ResolvedOptions): string {
  const { resourcesBasePathPrefix, resourcesName } = options
  const prefix = resourcesBasePathPrefix.replace(/:(\w+)/g, (_found, name: string) =>
    encodeURIComponent(c.ctx.pathParam(name) ?? ''),
  )
  return `${prefix}/${resourcesName}`
}

/** Fields that were sent in snake case, as bodies are answered, count under their own names too. */
export function withSnakeCase(params: Params, options: ResolvedOptions): Params {
  let read = params
  const { createFormStrongParameters, updateFormStrongParameters } = options
  for (const key of Object.keys({ ...createFormStrongParameters, ...updateFormStrongParameters })) {
    const snake = toSnakeCase(key)
    if (snake !== key && !params.has(key)) {
      const text = params.get(snake)
      if (text !== undefined) read = read.with(key, text)
    }
  }
  return read
}

/** A page of a list, both from 1. */
export interface PageOfList {
  readonly page: number
  readonly size: number
}

const largestPage = 200

/** `?page=` and `?size=`; what is no number of 1 or more counts as absent, and no page has more than 200 rows. */
export function pageOf(c: FwController, defaultSize: number): PageOfList {
  const positive = (name: string, otherwise: number): number => {
    const value = c.params.getAs(name, ParamType.Int)
    return value === undefined || value < 1 ? otherwise : value
  }
  return { page: positive('page', 1), size: Math.min(positive('size', defaultSize), largestPage) }
}

/**
 * What happened, for the next page: `<messageResourceName>.flash.created` of the messages, else `The member was created.`
 */
export function setCompletionFlash(
  c: FwController,
  { resourceName, messageResourceName }: ResolvedOptions,
  done: 'created' | 'updated' | 'deleted',
): void {
  const text = c.i18n.message(`${messageResourceName}.flash.${done}`)
  c.flash.set('notice', text ?? `The ${resourceName} was ${done}.`)
}
