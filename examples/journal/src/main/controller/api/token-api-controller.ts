/** The base of the API's controllers that need a token. It acts for the user `currentUser`. */
import { mix } from 'fwjs'
import { ApiController } from './api-controller.ts'
import { CurrentUserByToken } from './current-user-by-token.ts'

export class TokenApiController extends mix(ApiController, CurrentUserByToken) {}
