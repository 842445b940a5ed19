/** `CurrentUserByToken`: requests of programs need a token, which acts for a user, the member `currentUser`. */
import { requireScopes, type ControllerClass } from 'fwjs'
import { tokenStore, type ApiScope } from '#model/api-token'

const requireRead = requireScopes<ApiScope>(['read'], { methods: 'safe' })
/** Every token may end itself, so the action `endCurrentToken` of `TokensController` needs no scope. */
const requireWrite = requireScopes<ApiScope>(['write'], {
  methods: 'unsafe',
  except: ['endCurrentToken'],
})

export const CurrentUserByToken = <B extends ControllerClass>(Base: B) =>
  requireWrite(requireRead(tokenStore.currentUser(Base)))
