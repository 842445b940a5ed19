/** `MountedController`: a controller at one of its mount paths. */
import {
  inheritedRegistrations,
  type ControllerConstructor,
  type FwControllerBase,
  type Plan,
  type Registrations,
  type Target,
} from '../action.ts'
import type { MountableController } from '../controller.ts'

type MountedClass = ControllerConstructor &
  Pick<typeof FwControllerBase, 'isServlet' | 'textFormat' | 'errorFormat'>

export class MountedController {
  readonly controller: MountableController
  /** The mount path without a trailing slash; `''` at the root. */
  readonly prefix: string

  constructor(controller: MountableController, prefix: string) {
    this.controller = controller
    this.prefix = prefix
  }

  get controllerClass(): MountedClass {
    return this.controller.controllerClass as unknown as MountedClass
  }

  get isServlet(): boolean {
    return this.controllerClass.isServlet
  }

  /** The registrations of the class, its base classes and the routes object; the most general come first. */
  get registrations(): readonly Registrations[] {
    const { controllerClass, registrations } = this.controller
    return [...inheritedRegistrations(controllerClass), registrations]
  }

  /** Creates the target of a route; `pattern` is undefined for a fallback handler. */
  createTarget(plan: Plan, pattern?: string, when?: Target['when']): Target {
    const { textFormat, errorFormat } = this.controllerClass
    return { plan, when, textFormat, errorFormat, mountPath: this.prefix, pattern }
  }
}
