/** The traits that add the hooks and actions of a REST resource to a controller. */
import { registrationsOf, type Ctor } from '../action.ts'
import {
  FwApiServlet,
  FwServlet,
  type ControllerClass,
  type FwApiController,
} from '../controller.ts'
import { checksBodyTypes, JsonParamsFeature, XmlParamsFeature } from '../feature.ts'
import type {
  Columns,
  FwModel,
  IdOf,
  KeyPage,
  KeyPageRequest,
  ResourceModel,
  RowOf,
} from '../model.ts'
import type { Params, ParamTypes, PermittedValues } from '../params.ts'
import type { Validation } from '../validation.ts'
import { findOptions, type OptionModel } from './find-options.ts'
import { findIn, listedRecords, scopedModel } from './find-record.ts'
import * as actions from './resource-actions.ts'
import type {
  ApiResourceActions,
  Members,
  ReadOnlyApiResourceActions,
  ReadOnlyMembers,
  ReadOnlyResourceActions,
  ResourceActions,
  ResourceController,
} from './resource-controller.ts'
import {
  checkOptions,
  resolveParent,
  traitOptions,
  type AnyResourceOptions,
  type FwModelOptions,
  type ReadOnlyResourceOptions,
  type ResourceOptions,
  type ScopeOption,
  type TraitOptions,
} from './resource-options.ts'
import { recordParams } from './resource-request.ts'

/** A class that `FwApiResource` can extend: `FwApiController`, `FwController` or a subclass. */
export type ApiControllerClass<T extends FwApiController = FwApiController> = Ctor<T> &
  Omit<typeof FwApiController, 'prototype'>

/** Returns a subclass with the hooks and actions that only read. */
function withReads(
  Base: ApiControllerClass,
  options: AnyResourceOptions,
  hasPages: boolean,
): ApiControllerClass<ResourceController> {
  checkOptions(options)
  const parent = resolveParent(options)
  const { messageResourceName, scope, ...members } = options
  // The type includes the members that are assigned to the prototype below.
  const Controller = Base as ApiControllerClass<ResourceController>

  abstract class FwReadOnlyResource extends Controller {
    override get messageResourceName(): string {
      return messageResourceName ?? this.resourceName
    }

    override get records(): ResourceModel<object, unknown> {
      return scopedModel(this, this.model)
    }

    override findResources(page: number, size: number): Promise<readonly object[]> {
      return listedRecords(this).findPage({ page, size })
    }

    override countResources(): Promise<number> {
      return listedRecords(this).count()
    }

    override findPageByKey(request: KeyPageRequest): Promise<KeyPage<object>> {
      return listedRecords(this).paginate!(request)
    }

    override findResource(id: unknown): Promise<object | undefined> {
      return this.records.findById(id)
    }

    override findParent(id: unknown): Promise<object | undefined> {
      return parent === undefined ? Promise.resolve(undefined) : findIn(this, parent.model, id)
    }

    override showResources(): Promise<unknown> {
      return actions.showResources(this)
    }

    override showResource(): Promise<unknown> {
      return actions.showResource(this)
    }
  }
  const defaults = {
    resourcesBasePathPrefix: '',
    itemsName: 'items',
    itemName: 'item',
    include: {},
    output: undefined,
    pageSize: 20,
    pageByKey: undefined,
    requireIfMatch: false,
  }
  Object.assign(FwReadOnlyResource.prototype, defaults, members, {
    [traitOptions]: { parent, hasPages, scope } satisfies TraitOptions,
  })
  return FwReadOnlyResource
}

/** Returns a subclass with all hooks, and with the actions for API clients. */
function withApiActions(
  Base: ApiControllerClass,
  options: AnyResourceOptions,
  hasPages: boolean,
): Ctor<ResourceController> {
  const Reads = withReads(Base, options, hasPages)
  if (options.createFormStrongParameters === undefined) return Reads
  const { updateFormStrongParameters } = options

  abstract class FwApiResource extends XmlParamsFeature(JsonParamsFeature(Reads)) {
    static {
      registrationsOf(this).configure(checksBodyTypes, true)
    }

    override get updateFormStrongParameters(): ParamTypes {
      return updateFormStrongParameters ?? this.createFormStrongParameters
    }

    override createParams(): Params {
      return recordParams(this)
    }

    override updateParams(): Params {
      return this.createParams()
    }

    override createForm(): Validation<string> {
      return this.validation(this.createParams()).withPrefix(this.messageResourceName)
    }

    override updateForm(): Validation<string> {
      return this.createForm()
    }

    override doCreateAndReturnId(permitted: PermittedValues): Promise<unknown> {
      return this.records.createWithPermittedAttributes(permitted)
    }

    override doUpdate(id: unknown, permitted: PermittedValues): Promise<unknown> {
      return this.records.updateById(id).withPermittedAttributes(permitted)
    }

    override doDestroy(id: unknown): Promise<unknown> {
      return this.records.deleteById(id)
    }

    override createResource(): Promise<unknown> {
      return actions.createResource(this)
    }

    override updateResource(): Promise<unknown> {
      return actions.updateResource(this)
    }

    override destroyResource(): Promise<unknown> {
      return actions.destroyResource(this)
    }
  }
  Object.assign(FwApiResource.prototype, { [traitOptions]: Reads.prototype[traitOptions] })
  return FwApiResource
}

/**
 * Creates a base class for controllers of REST APIs: `class TasksController extends FwApiResource(ApiController, { … })`,
 * mounted by `apiResource(TasksController)`. It has no pages and no flash. Bodies are JSON unless the client requests XML.
 * @throws FwError `resource.option-invalid`
 * @spec Base building blocks › FwResource
 */
export function FwApiResource<
  B extends ApiControllerClass,
  T extends string,
  C extends Columns,
  K extends string,
  H extends string,
  const S extends ParamTypes,
  const N extends string,
  const P extends string = '',
  O = unknown,
>(
  Base: B,
  options: FwModelOptions<
    FwModel<T, C, K, H>,
    RowOf<FwModel<T, C, K, H>>,
    S,
    N,
    P,
    O,
    InstanceType<B>
  >,
): B &
  Ctor<
    ApiResourceActions<RowOf<FwModel<T, C, K, H>>, IdOf<C, K>> &
      Members<FwModel<T, C, K, H>, RowOf<FwModel<T, C, K, H>>, S, N, P, O>
  >
export function FwApiResource<
  B extends ApiControllerClass,
  Row extends object,
  Id,
  const N extends string,
  const P extends string = '',
  H extends string = never,
  O = unknown,
  W = never,
>(
  Base: B,
  options: ReadOnlyResourceOptions<Row, Id, N, P, H, O, W> &
    ScopeOption<InstanceType<B>, NoInfer<W>>,
): B &
  Ctor<
    ReadOnlyApiResourceActions<Row, Id> &
      ReadOnlyMembers<ReadOnlyResourceOptions<Row, Id, N, P, H, O, W>['model'], Row, N, P, O>
  >
export function FwApiResource<
  B extends ApiControllerClass,
  Row extends object,
  Id,
  const S extends ParamTypes,
  const N extends string,
  const P extends string = '',
  H extends string = never,
  O = unknown,
  W = never,
>(
  Base: B,
  options: ResourceOptions<Row, Id, S, N, P, H, O, W> & ScopeOption<InstanceType<B>, NoInfer<W>>,
): B &
  Ctor<
    ApiResourceActions<Row, Id> &
      Members<ResourceOptions<Row, Id, S, N, P, H, O, W>['model'], Row, S, N, P, O>
  >
export function FwApiResource(Base: ApiControllerClass, options: object): unknown {
  return withApiActions(Base, options as AnyResourceOptions, false)
}

/**
 * Creates a base class like `FwApiResource`, but on `FwApiServlet`, which handles every path below its mount path.
 * @spec Base building blocks › FwServlet
 */
export function FwApiResourceServlet<
  Row extends object,
  Id,
  const S extends ParamTypes,
  const N extends string,
  const P extends string = '',
  H extends string = never,
  O = unknown,
  W = never,
>(
  options: ResourceOptions<Row, Id, S, N, P, H, O, W> & ScopeOption<FwApiServlet, NoInfer<W>>,
): typeof FwApiServlet &
  Ctor<
    ApiResourceActions<Row, Id> &
      Members<ResourceOptions<Row, Id, S, N, P, H, O, W>['model'], Row, S, N, P, O>
  > {
  return FwApiResource(FwApiServlet, options)
}

/**
 * Creates a base class for controllers of REST resources: `class MembersController extends FwResource(ApplicationController, {
 * … })`. Mount it by `resource(MembersController)`, or with additional routes by `routes(…)`.
 * @throws FwError `resource.option-invalid`
 * @spec Base building blocks › FwResource
 */
export function FwResource<
  B extends ControllerClass,
  T extends string,
  C extends Columns,
  K extends string,
  H extends string,
  const S extends ParamTypes,
  const N extends string,
  const P extends string = '',
  O = unknown,
>(
  Base: B,
  options: FwModelOptions<
    FwModel<T, C, K, H>,
    RowOf<FwModel<T, C, K, H>>,
    S,
    N,
    P,
    O,
    InstanceType<B>
  >,
): B &
  Ctor<
    ResourceActions<RowOf<FwModel<T, C, K, H>>, IdOf<C, K>> &
      Members<FwModel<T, C, K, H>, RowOf<FwModel<T, C, K, H>>, S, N, P, O>
  >
export function FwResource<
  B extends ControllerClass,
  Row extends object,
  Id,
  const N extends string,
  const P extends string = '',
  H extends string = never,
  O = unknown,
  W = never,
>(
  Base: B,
  options: ReadOnlyResourceOptions<Row, Id, N, P, H, O, W> &
    ScopeOption<InstanceType<B>, NoInfer<W>>,
): B &
  Ctor<
    ReadOnlyResourceActions<Row, Id> &
      ReadOnlyMembers<ReadOnlyResourceOptions<Row, Id, N, P, H, O, W>['model'], Row, N, P, O>
  >
export function FwResource<
  B extends ControllerClass,
  Row extends object,
  Id,
  const S extends ParamTypes,
  const N extends string,
  const P extends string = '',
  H extends string = never,
  O = unknown,
  W = never,
>(
  Base: B,
  options: ResourceOptions<Row, Id, S, N, P, H, O, W> & ScopeOption<InstanceType<B>, NoInfer<W>>,
): B &
  Ctor<
    ResourceActions<Row, Id> &
      Members<ResourceOptions<Row, Id, S, N, P, H, O, W>['model'], Row, S, N, P, O>
  >
export function FwResource(Base: ControllerClass, options: object): unknown {
  const ApiBase = withApiActions(Base, options as AnyResourceOptions, true)

  abstract class FwPages extends ApiBase {
    preparePage(_view: 'index' | 'show' | 'new' | 'edit'): unknown {
      return undefined
    }

    findOptions<C extends Columns>(
      model: OptionModel<C>,
      title: keyof C & string,
      ...fields: readonly string[]
    ) {
      return findOptions(this, model, { title, fields })
    }
  }
  const own = { [traitOptions]: ApiBase.prototype[traitOptions] }
  Object.assign(FwPages.prototype, own)
  if (!('createResource' in FwPages.prototype)) return FwPages

  abstract class FwResource extends FwPages {
    newResource(): Promise<unknown> {
      return actions.newResource(this)
    }

    editResource(): Promise<unknown> {
      return actions.editResource(this)
    }
  }
  Object.assign(FwResource.prototype, own)
  return FwResource
}

/**
 * Another name for `FwResource`, which the specification uses for the actions without routes.
 * @spec Base building blocks › FwResourceActions
 */
export const FwResourceActions = FwResource

/**
 * Creates a base class like `FwResource`, but on `FwServlet`, which handles every path below its mount path.
 * @spec Base building blocks › FwServlet
 */
export function FwResourceServlet<
  Row extends object,
  Id,
  const S extends ParamTypes,
  const N extends string,
  const P extends string = '',
  H extends string = never,
  O = unknown,
  W = never,
>(
  options: ResourceOptions<Row, Id, S, N, P, H, O, W> & ScopeOption<FwServlet, NoInfer<W>>,
): typeof FwServlet &
  Ctor<
    ResourceActions<Row, Id> &
      Members<ResourceOptions<Row, Id, S, N, P, H, O, W>['model'], Row, S, N, P, O>
  > {
  return FwResource(FwServlet, options)
}
