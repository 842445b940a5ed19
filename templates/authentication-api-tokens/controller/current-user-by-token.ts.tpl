/** `CurrentUserByToken`: requests of programs need a token, which acts for a {{words}}. */
import { authenticateBearer, requireScopes, type ControllerClass, type Ctor } from 'fwjs'
import { apiScopes, createApiToken, findApiToken, type ApiScope } from '#model/api-token'
import type { {{User}} } from '#model/{{file}}'

const authenticate = authenticateBearer({ find: findApiToken })
const requireRead = requireScopes<ApiScope>(['read'], { methods: 'safe' })
/** Every token may end itself, so the action `endCurrentToken` of `TokensController` needs no scope. */
const requireWrite = requireScopes<ApiScope>(['write'], {
  methods: 'unsafe',
  except: ['endCurrentToken'],
})

interface HasCurrentUser {
  /** The {{words}} for whom the token acts. The member `bearer` has the token too. */
  readonly currentUser: {{User}}
}

export const CurrentUserByToken = <B extends ControllerClass>(
  Base: B,
): ReturnType<typeof authenticate<B>> & Ctor<HasCurrentUser> => {
  abstract class CurrentUserByToken extends authenticate(Base) implements HasCurrentUser {
    get currentUser(): {{User}} {
      return this.bearer.{{user}}
    }
  }
  return requireWrite(requireRead(CurrentUserByToken))
}

/** Creates a token for a test, and returns the headers of the program that has it. */
export const headersOf = async ({{user}}: { readonly id: number }) => {
  const token = await createApiToken({{user}}, { name: 'test', scopes: apiScopes, days: 1 })
  return { authorization: `Bearer ${token}` }
}
