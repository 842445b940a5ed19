/** Reads the owner of the records of a resource (`--scope user`): the model, and how controllers know who is logged in. */
import { FwError } from '../../runtime/base.ts'
import type { Field } from './field.ts'
import { modelPath, missingModel } from './read-model.ts'
import type { Project } from './project.ts'
import { modelName, parseName, type Name } from './resource-names.ts'

/** The owner of records. */
export interface OwnerScope {
  /** The owner's model, such as `user`. */
  readonly model: Name
  /** The field of a record that references the owner, such as `userId`. */
  readonly field: string
}

const base = (kind: 'pages' | 'api'): string =>
  `src/main/controller/${kind === 'api' ? 'api' : 'application'}-controller.ts`
const requireLogin = 'src/main/controller/require-login.ts'

const invalidScope = (missing: string): FwError =>
  new FwError(
    'generate.scope-invalid',
    `${missing} Run ./fw g authentication, or write it by hand as docs/generators.md#records-with-owners shows.`,
  )

/** Returns the owner with this name. */
export function parseOwnerScope(text: string): OwnerScope {
  const model = modelName(parseName(text))
  return { model, field: `${model.camel}Id` }
}

/**
 * Checks that the model of the owner exists, and that the application knows who is logged in.
 * @throws FwError `generate.model-missing`, `generate.scope-invalid`
 */
export function checkOwnerScope(
  project: Project,
  { model }: OwnerScope,
  kind: 'pages' | 'api',
): void {
  if (project.read(modelPath(model)) === undefined) throw missingModel(model)
  const controller = project.read(base(kind)) ?? ''
  if (!/currentUser/i.test(controller))
    throw invalidScope(
      `The controllers do not know which ${model.words} is logged in: ${base(kind)} has no currentUser.`,
    )
  if (kind === 'pages' && project.read(requireLogin) === undefined)
    throw invalidScope(`Nothing leads visitors to the login: there is no ${requireLogin}.`)
}

/** Returns the field of a model by which its rows have owners; `undefined` for other models. */
export const readScopedBy = (project: Project, name: Name): string | undefined =>
  /\bscopedBy: ['"](\w+)['"]/.exec(project.read(modelPath(name)) ?? '')?.[1]

/** Marks the fields that reference records with the same owner. @throws FwError `generate.scope-invalid` for another owner */
export const markOwned = (
  project: Project,
  fields: readonly Field[],
  scope: OwnerScope | undefined,
): readonly Field[] =>
  fields.map((field) => {
    const { references } = field
    const scopedBy = references === undefined ? undefined : readScopedBy(project, references)
    if (scopedBy === undefined || references === undefined) return field
    if (scopedBy === scope?.field) return { ...field, isOwned: true }
    throw new FwError(
      'generate.scope-invalid',
      `The records of ${references.pascal} have owners (${scopedBy}), so those that reference them need the same owner: ` +
        `pass --scope ${scopedBy.replace(/Id$/, '')}.`,
    )
  })
