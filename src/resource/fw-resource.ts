/** The actions of a REST resource over a model. */
import type { Ctor } from '../action.ts'
import type { ControllerClass } from '../controller.ts'
import { Created } from '../http.ts'
import type { Params, ParamTypes, PermittedValues } from '../params.ts'
import type { Validation } from '../validation.ts'
import { entitiesXml, entityJson, type EntityFormat } from './entity-body.ts'
import type { ResourceActions } from './resource-actions.ts'
import { resolveOptions, type ResolvedOptions, type ResourceOptions } from './resource-options.ts'
import {
  answer,
  answerEntity,
  answerErrors,
  basePath,
  entityFormat,
  pageOf,
  setCompletionFlash,
  withSnakeCase,
} from './resource-request.ts'

/** What the trait adds to its base: the actions, and every option as a member. */
export type Resource<
  Row extends object,
  Id,
  S extends ParamTypes,
  N extends string,
  P extends string = '',
> = ResourceActions<Row, Id> & Required<ResourceOptions<Row, Id, S, N, P>>

// The compiler knows rows and ids of the application's model through the type that the trait returns.
type AnyResource = InstanceType<ControllerClass> & ResourceActions<object, unknown>

async function find(c: AnyResource, { model }: ResolvedOptions) {
  const id = c.params.getAs('id', model.idType)
  const record = id === undefined ? undefined : await c.findResource(id)
  return record === undefined ? c.haltWithBody(404) : { id, record }
}

async function list(c: AnyResource, options: ResolvedOptions): Promise<unknown> {
  const format = entityFormat(c)
  const { page, size } = pageOf(c, options.pageSize)
  const items = await c.findResources(page, size)
  const total = await c.countResources()
  const { resourcesName, resourceName, itemsName } = options
  if (format !== undefined) {
    c.response.headers.set('X-Total-Count', total)
    const isJson = format === 'json'
    return answer(
      c,
      format,
      isJson ? entityJson(items) : entitiesXml(resourcesName, resourceName, items),
    )
  }
  c.set(itemsName, items)
  c.set('page', page)
  c.set('totalPages', Math.ceil(total / size))
  return renderOwn(c, options, 'index')
}

function renderOwn(c: AnyResource, options: ResolvedOptions, view: string): unknown {
  const folders = options.resourcesBasePathPrefix.replace(/\/:\w+/g, '')
  return c.render(`${folders}/${options.resourcesName}/${view}` as never)
}

const pathOf = (c: AnyResource, options: ResolvedOptions, id: unknown): string =>
  `${basePath(c, options)}/${encodeURIComponent(String(id))}`

function refuse(
  c: AnyResource,
  options: ResolvedOptions,
  failed: Validation<string>,
  view: string,
  format: EntityFormat | undefined,
): unknown {
  if (format === undefined) return renderOwn(c, options, view)
  return answerErrors(c, format, options.resourcesName, failed)
}

async function create(c: AnyResource, options: ResolvedOptions): Promise<unknown> {
  const format = entityFormat(c)
  const form = c.createForm()
  if (!form.validate()) return refuse(c, options, form, 'new', format)
  const permitted = c.createParams().permit(options.createFormStrongParameters)
  const path = c.url(pathOf(c, options, await c.doCreateAndReturnId(permitted)))
  if (format !== undefined) return Created(undefined, { Location: `${path}.${format}` })
  setCompletionFlash(c, options, 'created')
  return c.redirect(path)
}

async function update(c: AnyResource, options: ResolvedOptions): Promise<unknown> {
  const format = entityFormat(c)
  const { id, record } = await find(c, options)
  const isPatch = c.request.method === 'PATCH'
  const form = isPatch ? c.updateForm().partial() : c.updateForm()
  if (!form.validate()) {
    c.set(options.itemName, record)
    return refuse(c, options, form, 'edit', format)
  }
  const params = c.updateParams()
  const types = options.updateFormStrongParameters
  await c.doUpdate(id, isPatch ? params.permitPartial(types) : params.permit(types))
  if (format !== undefined) return answer(c, format, '')
  setCompletionFlash(c, options, 'updated')
  return c.redirect(c.url(pathOf(c, options, id)))
}

async function destroy(c: AnyResource, options: ResolvedOptions): Promise<unknown> {
  const format = entityFormat(c)
  const { id } = await find(c, options)
  await c.doDestroy(id)
  if (format !== undefined) return answer(c, format, '')
  setCompletionFlash(c, options, 'deleted')
  return c.redirect303(c.url(basePath(c, options)))
}

/**
 * A base for controllers of REST resources: `class MembersController extends FwResource(ApplicationController, { … })`,
 * mounted by `resource(MembersController)`; or with routes of its own by `routes(…)`.
 * @throws FwError `resource.option-invalid`
 * @spec Base building blocks › FwResource
 */
export const FwResource = <
  B extends ControllerClass,
  Row extends object,
  Id,
  const S extends ParamTypes,
  const N extends string,
  const P extends string = '',
>(
  Base: B,
  given: ResourceOptions<Row, Id, S, N, P>,
): B & Ctor<Resource<Row, Id, S, N, P>> => {
  const options = resolveOptions(given)
  const { model, messageResourceName, resourcesName, itemName } = options

  abstract class FwResource extends Base implements ResourceActions<object, unknown> {
    createParams(): Params {
      return withSnakeCase(this.params, options)
    }

    updateParams(): Params {
      return this.createParams()
    }

    createForm(): Validation<string> {
      return this.validationWithPrefix(messageResourceName, this.createParams())
    }

    updateForm(): Validation<string> {
      return this.createForm()
    }

    findResources(page: number, size: number): Promise<readonly object[]> {
      return model.findPage({ page, size })
    }

    countResources(): Promise<number> {
      return model.count()
    }

    findResource(id: unknown): Promise<object | undefined> {
      return model.findById(id)
    }

    doCreateAndReturnId(permitted: PermittedValues): Promise<unknown> {
      return model.createWithPermittedAttributes(permitted)
    }

    doUpdate(id: unknown, permitted: PermittedValues): Promise<unknown> {
      return model.updateById(id).withPermittedAttributes(permitted)
    }

    doDestroy(id: unknown): Promise<unknown> {
      return model.deleteById(id)
    }

    showResources(): Promise<unknown> {
      return list(this, options)
    }

    async showResource(): Promise<unknown> {
      const format = entityFormat(this)
      const { record } = await find(this, options)
      if (format !== undefined) return answerEntity(this, format, resourcesName, record)
      this.set(itemName, record)
      return renderOwn(this, options, 'show')
    }

    newResource(): unknown {
      return renderOwn(this, options, 'new')
    }

    createResource(): Promise<unknown> {
      return create(this, options)
    }

    async editResource(): Promise<unknown> {
      const { record } = await find(this, options)
      this.set(itemName, record)
      this.set('params', this.params.withModel(record))
      return renderOwn(this, options, 'edit')
    }

    updateResource(): Promise<unknown> {
      return update(this, options)
    }

    destroyResource(): Promise<unknown> {
      return destroy(this, options)
    }
  }
  Object.assign(FwResource.prototype, options)
  return FwResource as never
}
