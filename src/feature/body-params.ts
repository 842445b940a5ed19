/** What the features share that read a body as form parameters. */
import {
  inheritedRegistrations,
  registrationsOf,
  type ControllerClass,
  type FwContext,
  type FwRequest,
} from '../action.ts'
import type { FieldMap } from '../http.ts'

/** A kind of body: of which media types, how it is read, and what its fields are. */
export interface BodyKind {
  readonly isType: (type: string) => boolean
  readonly read: (request: FwRequest) => Promise<unknown>
  readonly fieldsOf: (value: unknown) => FieldMap
}

/** Reads bodies of a kind before any filter runs. */
export class BodyParams {
  readonly #bodies = new WeakMap<FwContext, unknown>()
  readonly #step: (controller: unknown, ctx: FwContext) => Promise<void> | undefined

  constructor({ isType, read, fieldsOf }: BodyKind) {
    this.#step = (_controller, ctx) => {
      const { request } = ctx
      if (request.http.body.isEmpty || !isType(request.mediaType ?? '')) return undefined
      return read(request).then((value) => {
        this.#bodies.set(ctx, value)
        ctx.takeForm(fieldsOf(value))
      })
    }
  }

  /** For the requests of a controller: once, where a base has it already. */
  register(Class: ControllerClass): void {
    const has = inheritedRegistrations(Class).some(({ steps }) =>
      steps.some(({ step }) => step === this.#step),
    )
    if (!has) registrationsOf(Class).add('body', this.#step)
  }

  /** The body as it was read; `undefined` for one of another kind. */
  of(ctx: FwContext): unknown {
    return this.#bodies.get(ctx)
  }
}
