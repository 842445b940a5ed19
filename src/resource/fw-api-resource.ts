/** The actions of a REST resource for programs: JSON and XML, no pages. */
import type { Ctor } from '../action.ts'
import { FwApiServlet, type FwApiController } from '../controller.ts'
import { JsonParamsFeature, XmlParamsFeature } from '../feature.ts'
import type { Params, ParamTypes, PermittedValues } from '../params.ts'
import type { Validation } from '../validation.ts'
import { create, destroy, list, show, update } from './answer-actions.ts'
import type { ApiResourceActions } from './resource-actions.ts'
import {
  optionsOfTrait,
  resolveOptions,
  type ResolvedOptions,
  type ResourceOptions,
} from './resource-options.ts'
import { recordsOf } from './resource-parent.ts'
import { recordParams } from './resource-request.ts'

/** A class that `FwApiResource` can extend: `FwApiController`, or what is made of it or of `FwController`. */
export type ApiControllerClass<T extends FwApiController = FwApiController> = Ctor<T> &
  Omit<typeof FwApiController, 'prototype'>

/** Every option as a member; what has no default stays optional. */
export type ResourceMembers<
  Row extends object,
  Id,
  S extends ParamTypes,
  N extends string,
  P extends string,
> = Required<Omit<ResourceOptions<Row, Id, S, N, P>, 'parent'>>

/** What the trait adds to its base: the actions, and the options. */
export type ApiResource<
  Row extends object,
  Id,
  S extends ParamTypes,
  N extends string,
  P extends string = '',
> = ApiResourceActions<Row, Id> & ResourceMembers<Row, Id, S, N, P>

/** The class with all that has no form, over resolved options. */
export function withActions<B extends ApiControllerClass>(
  Base: B,
  options: ResolvedOptions,
): B & Ctor<ApiResourceActions<object, unknown>> {
  const { model, parent, messageResourceName } = options

  abstract class FwApiResource
    extends XmlParamsFeature(JsonParamsFeature(Base as ApiControllerClass))
    implements ApiResourceActions<object, unknown>
  {
    createParams(): Params {
      return recordParams(this, options)
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
      return recordsOf(this, options).findPage({ page, size })
    }

    countResources(): Promise<number> {
      return recordsOf(this, options).count()
    }

    findResource(id: unknown): Promise<object | undefined> {
      return model.findById(id)
    }

    findParent(id: unknown): Promise<object | undefined> {
      return parent === undefined ? Promise.resolve(undefined) : parent.model.findById(id)
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

    showResource(): Promise<unknown> {
      return show(this, options)
    }

    createResource(): Promise<unknown> {
      return create(this, options)
    }

    updateResource(): Promise<unknown> {
      return update(this, options)
    }

    destroyResource(): Promise<unknown> {
      return destroy(this, options)
    }
  }
  Object.assign(FwApiResource.prototype, options, { [optionsOfTrait]: options })
  return FwApiResource as never
}

/**
 * A base for controllers of REST resources that programs use: `class TasksController extends FwApiResource(ApiController,
 * { … })`, mounted by `apiResource(TasksController)`. No pages, no flash; JSON unless the client asks for XML.
 * @throws FwError `resource.option-invalid`
 * @spec Base building blocks › FwResource
 */
export function FwApiResource<
  B extends ApiControllerClass,
  Row extends object,
  Id,
  const S extends ParamTypes,
  const N extends string,
  const P extends string = '',
>(Base: B, options: ResourceOptions<Row, Id, S, N, P>): B & Ctor<ApiResource<Row, Id, S, N, P>> {
  return withActions(Base, resolveOptions(options as never, false)) as never
}

/** `FwApiResource` over `FwApiServlet`: it owns every path below its mount path. @spec Base building blocks › FwServlet */
export function FwApiResourceServlet<
  Row extends object,
  Id,
  const S extends ParamTypes,
  const N extends string,
  const P extends string = '',
>(
  options: ResourceOptions<Row, Id, S, N, P>,
): typeof FwApiServlet & Ctor<ApiResource<Row, Id, S, N, P>> {
  return FwApiResource(FwApiServlet, options)
}
