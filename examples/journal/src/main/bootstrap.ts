/** Mounts the controllers when the application starts. */
import { FwLifeCycle, FwSessionInitializer, MethodOverride, type ServletContext } from 'fwjs'
import { controllers } from '#controller/controllers'

export class Bootstrap extends FwLifeCycle {
  override readonly controllers: object = controllers

  override initFwApp(ctx: ServletContext): void {
    new MethodOverride().mount(ctx)
    new FwSessionInitializer().mount(ctx, '/*')
    for (const controller of Object.values(controllers)) controller.mount(ctx)
  }
}
