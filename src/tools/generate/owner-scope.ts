/** Reads the owner of the records of a resource (`--scope user`): the model, and how controllers know the owner of a request. */
import { FwError } from '../../runtime/base.ts'
import type { Field } from './field.ts'
import { isOwn, missingModel, modelPath, type ModelNames } from './read-model.ts'
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
 * @throws FwError `generate.arguments-invalid` if both are given and differ; `generate.scope-invalid` if the user is no model
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
  const user = readUser(project, model)
  const userField = user.file === model.file ? 'id' : field
  return { model, field, user, userField, isDistributed: distributedBy !== undefined }
}

/** The files that name the model of users: as the type of `currentUser`, or for the functions of `fw g authentication`. */
const userFiles = [
  base('pages'),
  base('api'),
  'src/main/model/login.ts',
  'src/main/model/api-token.ts',
]

/** Matches the declared types of `currentUser`, which may be a getter, and the models that `fw g authentication` passes on. */
const userTypes = /\b(?:currentUser(?:\(\)|[!?])?|accounts): ([^\n=;]+)/g

/**
 * Returns the model of the user who is logged in: the owner, or else another model that the files name. Without a name it is the
 * owner.
 * @throws FwError `generate.scope-invalid` if the files name a type that is no model: it may be a user who is not the owner
 */
function readUser(project: Project, owner: Name): Name {
  const files = userFiles.map((file) => project.read(file) ?? '')
  const named = files.flatMap((text) =>
    [...text.matchAll(userTypes)].flatMap(([, type]) =>
      [...type!.matchAll(/\b[A-Z]\w*/g)].map(([name]) => readModelName(text, name)),
    ),
  )
  const isNamed = named.some(({ file }) => file === owner.file)
  if (isNamed || named.length === 0) return owner
  const user = named.find((name) => project.read(modelPath(name)) !== undefined)
  if (user !== undefined) return user
  throw invalidScope(
    `The controllers do not know the ${owner.words} of the user who is logged in: the type of currentUser names no model.`,
  )
}

/** Returns the name of a model that a file imports, with its folder. */
function readModelName(text: string, name: string): Name {
  const path = new RegExp(`\\b${name}\\b[^}\\n]*} from '#model/([\\w/-]+)'`).exec(text)?.[1]
  return path === undefined ? new Name(name) : modelName(parseName(path))
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
  const column = new RegExp(`^ *${userField}: (.*)`, 'm').exec(project.read(modelPath(user)) ?? '')
  if (userField !== 'id' && column?.[1]?.includes('optional(') !== false)
    throw invalidScope(
      `The controllers do not know the ${model.words} of the ${user.words} who is logged in: ${modelPath(user)} has no required field ${userField}.`,
    )
  if (kind === 'pages' && project.read(requireLogin) === undefined)
    throw invalidScope(`Nothing leads visitors to the login: there is no ${requireLogin}.`)
}

/** Returns the field of a model by which its rows have owners; `undefined` for other models. */
export const readScopedBy = (project: Project, name: Name): string | undefined =>
  /\bscopedBy: ['"](\w+)['"]/.exec(project.read(modelPath(name)) ?? '')?.[1]

/**
 * Marks the fields that reference records with the same owner, such as those of the model itself, which is not written yet.
 * @throws FwError `generate.scope-invalid` for another owner
 */
export const markOwned = (
  project: Project,
  fields: readonly Field[],
  { own, scope }: { readonly own: ModelNames; readonly scope: OwnerScope | undefined },
): readonly Field[] =>
  fields.map((field) => {
    const { references } = field
    const scopedBy = references === undefined ? undefined : readScopedBy(project, references)
    if (references !== undefined && scope !== undefined && isOwn(references, own))
      return { ...field, isOwned: true }
    if (scopedBy === undefined || references === undefined) return field
    if (scopedBy === scope?.field) return { ...field, isOwned: true }
    throw new FwError(
      'generate.scope-invalid',
      `The records of ${references.pascal} have owners (${scopedBy}), so those that reference them need the same owner: ` +
        `pass --scope ${scopedBy.replace(/Id$/, '')}.`,
    )
  })
