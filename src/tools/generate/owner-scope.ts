/** Reads the owner of the records of a resource (`--scope user`): the model, and how controllers know the owner of a request. */
import { FwError } from '../../runtime/base.ts'
import type { Field } from './field.ts'
import { modelPath, missingModel } from './read-model.ts'
import { invalidArguments, type GeneratorOptions, type Project } from './project.ts'
import { modelName, Name, parseName } from './resource-names.ts'

/** The owner of records. */
export interface OwnerScope {
  /** The owner's model, such as `user`. */
  readonly model: Name
  /** The field of a record that references the owner, such as `userId`. */
  readonly field: string
  /** The model of the user who is logged in: the owner's own model, or one whose rows reference the owner. */
  readonly user: Name
  /** The field of the user that contains the owner, such as `id` or `tenantId`. */
  readonly userField: string
  /** Whether Citus distributes the rows by the owner. */
  readonly isDistributed: boolean
}

const base = (kind: 'pages' | 'api'): string =>
  `src/main/controller/${kind === 'api' ? 'api' : 'application'}-controller.ts`
const requireLogin = 'src/main/controller/require-login.ts'

const invalidScope = (missing: string): FwError =>
  new FwError(
    'generate.scope-invalid',
    `${missing} Run ./fw g authentication, or write it by hand as docs/generators.md#records-with-owners shows.`,
  )

/**
 * Returns the owner that `--scope` or `--distributed-by` names.
 * @throws FwError `generate.arguments-invalid` if both are given and differ
 */
export function parseOwnerScope(
  project: Project,
  { scope, distributedBy }: GeneratorOptions,
): OwnerScope | undefined {
  const text = distributedBy ?? scope
  if (text === undefined) return undefined
  if (scope !== undefined && scope !== text)
    throw invalidArguments(
      `--scope ${scope} and --distributed-by ${text} name two owners: the rows of a table have one.`,
    )
  const model = modelName(parseName(text))
  const field = `${model.camel}Id`
  const user = readUser(project) ?? model
  const userField = user.snake === model.snake ? 'id' : field
  return { model, field, user, userField, isDistributed: distributedBy !== undefined }
}

/** The files that name the model of users: as the type of `currentUser`, or for the functions of `fw g authentication`. */
const userFiles = [
  base('pages'),
  base('api'),
  'src/main/model/login.ts',
  'src/main/model/api-token.ts',
]

/** Returns the model of the user who is logged in; `undefined` if no file names it. */
function readUser(project: Project): Name | undefined {
  const found = userFiles
    .map((file) => /\b(?:currentUser[!?]?|accounts): ([A-Z]\w*)/.exec(project.read(file) ?? ''))
    .find((match) => match !== null)
  return found === undefined ? undefined : new Name(found[1]!)
}

/**
 * Checks that the model of the owner exists, and that the application knows who is logged in.
 * @throws FwError `generate.model-missing`, `generate.scope-invalid`
 */
export function checkOwnerScope(
  project: Project,
  { model, user, userField }: OwnerScope,
  kind: 'pages' | 'api',
): void {
  if (project.read(modelPath(model)) === undefined) throw missingModel(model)
  const controller = project.read(base(kind)) ?? ''
  if (!/currentUser/i.test(controller))
    throw invalidScope(
      `The controllers do not know which ${model.words} is logged in: ${base(kind)} has no currentUser.`,
    )
  if (
    userField !== 'id' &&
    !new RegExp(`\\b${userField}:`).test(project.read(modelPath(user)) ?? '')
  )
    throw invalidScope(
      `The controllers do not know the ${model.words} of the ${user.words} who is logged in: ${modelPath(user)} has no field ${userField}.`,
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
