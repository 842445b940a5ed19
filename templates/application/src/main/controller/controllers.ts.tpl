/** Every controller of the application; views know this object as `routes`. */
import { root } from './root-controller.ts'

export const controllers = { root }
