/** Every controller of the application. Views access this object as `routes`. */
import { root } from './root-controller.ts'

export const controllers = { root }
