/** Mounts the controllers when the application starts. */
import { FwLifeCycle, type ServletContext } from 'fwjs'
import { controllers } from '#controller/controllers'

export class Bootstrap extends FwLifeCycle {
  override readonly controllers: object = controllers

  override initFwApp(ctx: ServletContext): void {
    controllers.root.mount(ctx)
    controllers.members.mount(ctx)
  }
}
