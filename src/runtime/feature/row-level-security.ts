/** `rowLevelSecurity`: settings of PostgreSQL that row-level security policies read, for all statements of a request. */
import { slot, type FwContext, type FwControllerBase } from '../action.ts'
import { FwError, isPromise } from '../base.ts'
import { checkSettingNames, runWithLocalSettings, type LocalSettingValue } from '../db.ts'
import { isStreamed } from '../http.ts'
import { filterTrait, type FilterTrait } from './trait.ts'

/** Returns the value of a setting for a request. It is called for each statement, so it must not wait or send statements. */
type ReadSetting<C> = (controller: C) => LocalSettingValue

type Readers<C> = Readonly<Record<string, LocalSettingValue | ReadSetting<C>>>
type Values = Readonly<Record<string, LocalSettingValue>>

/** The value of a setting whose function cannot be called yet: a text for which the policies admit no row. */
function unknownValue(name: string): undefined {
  if (name !== 'role') return undefined
  throw new FwError(
    'db.parameter-invalid',
    "The local setting 'role' is a function of the controller, which Fw calls once the session can be read: " +
      "a statement in the stages 'guard' and 'body', or in a handler of an error there, has no role. Make 'role' a constant.",
  )
}

/** The settings of one attempt of a request. */
class RequestSettings {
  readonly #ctx: FwContext
  readonly #readers: Readers<object>
  #last: Values | undefined
  /** The controller, from the step in which the session is read. Before, the functions cannot be called. */
  controller: object | undefined

  constructor(ctx: FwContext, readers: Readers<object>) {
    this.#ctx = ctx
    this.#readers = readers
  }

  /** Returns the present values, or the last ones after the end of the request, when the session cannot be read. */
  read(): Values {
    const { controller } = this
    if (this.#ctx.hasEnded && this.#last !== undefined) return this.#last
    const pairs = Object.entries(this.#readers).map(([name, reader]) => [
      name,
      typeof reader !== 'function'
        ? reader
        : controller === undefined
          ? unknownValue(name)
          : reader(controller),
    ])
    const values = Object.fromEntries(pairs) as Values
    if (controller !== undefined) this.#last = values
    return values
  }

  /** Stores the values for a streamed body, which is produced after the end of the request. */
  keep(): void {
    if (!isStreamed(this.#ctx.response.body)) return
    try {
      this.read()
    } catch {
      // The error concerns only a stream with statements, which call `read` again.
    }
  }
}

/**
 * Sets PostgreSQL's settings of these names for every statement of a request, for policies of row-level security:
 * `mix(FwController, FwSessionFilter, rowLevelSecurity({ 'app.tenant': (c) => c.session.get('tenant') }))`. They apply to reads
 * before the transaction, to the transaction, `afterCommit`, streamed bodies, replicas and behind a pooler; no other request has
 * them. An undefined value sets an empty text, so that a policy admits no row. The names have a dot; `role` changes the role.
 * Before the session is read, the functions count as undefined, and a `role` that is a function refuses statements.
 * @throws FwError `db.parameter-invalid`
 */
export function rowLevelSecurity<C extends object = FwControllerBase>(
  settings: Readers<C>,
): FilterTrait {
  checkSettingNames(Object.keys(settings))
  const ofRequest = slot<RequestSettings>('attempt')
  return filterTrait('rowLevelSecurity', (own) => {
    own.addAround(function setLocal(ctx, next) {
      const values = new RequestSettings(ctx, settings as Readers<object>)
      ofRequest.set(ctx, values)
      const result = runWithLocalSettings(() => values.read(), next)
      if (isPromise(result)) return result.then((settled) => (values.keep(), settled))
      values.keep()
      return result
    })
    own.add('load', function readSettings(controller, ctx) {
      const values = ofRequest.get(ctx)
      if (values !== undefined) values.controller = controller
    })
  })
}
