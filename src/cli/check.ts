/** `fw check`: the types of code and templates in one run of the compiler. */
import { checkProject } from '../view.ts'
import { applicationRoot } from './load-life-cycle.ts'
