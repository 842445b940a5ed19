/** generate: what `fw g` writes: scaffold, controller, model, migration, …. */
export { applicationDrafts } from './generate/application-drafts.ts'
export type { ApplicationWords } from './generate/application-drafts.ts'
export type { Draft, Plan, Site } from './generate/draft.ts'
export { folderSite } from './generate/folder-site.ts'
export { generatorOf, generators } from './generate/generators.ts'
export type { Generator } from './generate/generators.ts'
export { removeDrafts, writeDrafts } from './generate/write-drafts.ts'
export type { Outcome, WriteOptions } from './generate/write-drafts.ts'
