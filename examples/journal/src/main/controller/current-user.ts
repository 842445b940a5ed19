/** `CurrentUser`: the member `currentUser` of controllers. Views declare it: `<%@val currentUser: User | null %>`. */
import { logins } from '#model/login'

export const CurrentUser = logins.currentUser
