/** Mounts the controllers when the application starts. */
import { FwLifeCycle, FwSessionInitializer, MethodOverride, type ServletContext } from 'fwjs'
import { controllers } from '#controller/controllers'
import { tokenStore } from '#model/api-token'
import { logins } from '#model/login'

export class Bootstrap extends FwLifeCycle {
  override readonly controllers: object = controllers

  override initFwApp(ctx: ServletContext): void {
    new MethodOverride().mount(ctx)
    new FwSessionInitializer().mount(ctx, '/*')
    for (const controller of Object.values(controllers)) controller.mount(ctx)
  }

  override sessionOf(user: { readonly id: number }) {
    return logins.sessionOf(user)
  }

  override headersOf(user: { readonly id: number }) {
    return tokenStore.headersOf(user)
  }
}
