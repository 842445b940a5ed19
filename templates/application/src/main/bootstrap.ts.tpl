/** Mounts the controllers when the application starts. */
import { FwLifeCycle, MethodOverride, type ServletContext } from 'fwjs'
import { controllers } from '#controller/controllers'

export class Bootstrap extends FwLifeCycle {
  override readonly controllers: object = controllers

  override initFwApp(ctx: ServletContext): void {
    new MethodOverride().mount(ctx)
    controllers.root.mount(ctx)
  }
}
