/** The actions of a REST resource over a model: pages, JSON and XML. */
import type { Ctor } from '../action.ts'
import { FwServlet, type ControllerClass } from '../controller.ts'
import type { ParamTypes } from '../params.ts'
import { edit, showNew } from './answer-actions.ts'
import { withActions, type ApiControllerClass, type ResourceMembers } from './fw-api-resource.ts'
import type { ResourceActions, ResourceHost } from './resource-actions.ts'
import { optionsOfTrait, resolveOptions, type ResourceOptions } from './resource-options.ts'

/** What the trait adds to its base: the actions, and the options. */
export type Resource<
  Row extends object,
  Id,
  S extends ParamTypes,
  N extends string,
  P extends string = '',
> = ResourceActions<Row, Id> & ResourceMembers<Row, Id, S, N, P>

/**
 * A base for controllers of REST resources: `class MembersController extends FwResource(ApplicationController, { … })`,
 * mounted by `resource(MembersController)`; or with routes of its own by `routes(…)`.
 * @throws FwError `resource.option-invalid`
 * @spec Base building blocks › FwResource
 */
export function FwResource<
  B extends ControllerClass,
  Row extends object,
  Id,
  const S extends ParamTypes,
  const N extends string,
  const P extends string = '',
>(Base: B, given: ResourceOptions<Row, Id, S, N, P>): B & Ctor<Resource<Row, Id, S, N, P>> {
  const options = resolveOptions(given as never, true)

  abstract class FwResource extends withActions(Base as ApiControllerClass, options) {
    newResource(): Promise<unknown> {
      return showNew(this as unknown as ResourceHost, options)
    }

    editResource(): Promise<unknown> {
      return edit(this as unknown as ResourceHost, options)
    }
  }
  Object.assign(FwResource.prototype, { [optionsOfTrait]: options })
  return FwResource as never
}

/**
 * The actions alone, for routes of one's own: `FwResource` under the specification's other name.
 * @spec Base building blocks › FwResourceActions
 */
export const FwResourceActions = FwResource

/** `FwResource` over `FwServlet`: it owns every path below its mount path. @spec Base building blocks › FwServlet */
export function FwResourceServlet<
  Row extends object,
  Id,
  const S extends ParamTypes,
  const N extends string,
  const P extends string = '',
>(options: ResourceOptions<Row, Id, S, N, P>): typeof FwServlet & Ctor<Resource<Row, Id, S, N, P>> {
  return FwResource(FwServlet, options)
}
