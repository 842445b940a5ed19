/** escaping: chooses the escapers of each expression. */
export type { PlacedUse } from './escaping/branch-paths.ts'
export { neededEscapers } from './escaping/escaping-plan.ts'
export { parse, parseUnplanned } from './escaping/parsed-template.ts'
export type { ParsedTemplate } from './escaping/parsed-template.ts'
export { proveEscaping } from './escaping/proof.ts'
