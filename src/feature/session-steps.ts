/** Reads the session before a controller's filters and keeps it after them, before or after COMMIT as the store asks. */
import { inheritedRegistrations, registrationsOf, type FwContext, type Step } from '../action.ts'

const load: Step = (_controller, ctx: FwContext) => ctx.loadSession()

const save: Step = (_controller, ctx: FwContext) =>
  ctx.services.sessions.store.transactional ? ctx.saveSession() : undefined

const keep: Step = (_controller, ctx: FwContext) =>
  ctx.services.sessions.store.transactional ? undefined : ctx.saveSession()

/** Registers the steps, once for a class and all its bases. */
export function useSession(controllerClass: object): void {
  const uses = inheritedRegistrations(controllerClass).some(({ steps }) =>
    steps.some(({ step }) => step === load),
  )
  if (uses) return
  const own = registrationsOf(controllerClass)
  own.add('load', load)
  own.add('save', save)
  own.add('keep', keep)
}
