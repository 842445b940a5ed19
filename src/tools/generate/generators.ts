/** The generators that `fw g` and `fw destroy` run. */
import { didYouMean, FwError } from '../../runtime/base.ts'
import { deployPlan } from './deploy-plan.ts'
import type { Direction, Plan, Project } from './project.ts'
import { resourcePlan, type ResourceParts } from './resource-plan.ts'
import { parseAllTables, parseTables, reversePlan, type ReverseKind } from './reverse-plan.ts'
import { vitePlan } from './vite-plan.ts'
import {
  controllerPlan,
  filterPlan,
  migrationPlan,
  modelPlan,
  viewPlan,
} from './single-file-plans.ts'

/** The command-line options of a generator, in addition to its words. */
export interface GeneratorOptions {
  /** The parent resource of the generated resource. */
  readonly parent?: string
  /** The name of the migration's database; default `default`. */
  readonly database?: string
  /** The column that identifies the rows of a view. */
  readonly key?: string
  /** Whether the model is a join table of the two models that it references. */
  readonly through?: boolean
}

/** A generator of `fw g`: plans the files that it writes or removes. */
export interface Generator {
  readonly name: string
  readonly usage: string
  readonly description: string
  /** Whether the project needs its database schema. */
  readonly readsDatabase: boolean
  /**
   * Plans the files to write.
   * @throws FwError `generate.*`
   */
  plan(project: Project, words: readonly string[], options?: GeneratorOptions): Plan
  /**
   * Plans a removal for `removeFiles`: the files to delete, and edited files such as `messages.yml` without the generated
   * parts.
   */
  removal(project: Project, words: readonly string[], options?: GeneratorOptions): Plan
}

interface Definition {
  readonly name: string
  readonly args: string
  readonly description: string
  readonly readsDatabase?: true
  readonly takesParent?: true
  readonly takesDatabase?: true
  readonly takesThrough?: true
  readonly takesKey?: true
}

type CreatePlan = (
  project: Project,
  words: readonly string[],
  usage: string,
  direction: Direction,
  options: GeneratorOptions,
) => Plan

function generator(definition: Definition, createPlan: CreatePlan): Generator {
  const { name, args, description, readsDatabase = false } = definition
  const usage = `Write it as: fw g ${name} ${args}`.trimEnd()
  const plan =
    (direction: Direction): Generator['plan'] =>
    (project, words, options = {}) => {
      refuseOptions(definition, options)
      return createPlan(project, words, usage, direction, options)
    }
  return { name, usage, description, readsDatabase, plan: plan('add'), removal: plan('remove') }
}

function refuseOptions(
  { name, takesParent, takesDatabase, takesThrough, takesKey }: Definition,
  { parent, database = 'default', through, key }: GeneratorOptions,
): void {
  const refuse = (text: string): never => {
    throw new FwError('generate.arguments-invalid', `${text}, not for ${name}.`)
  }
  if (parent !== undefined && takesParent !== true)
    refuse('--parent is for scaffold, resource and api-resource')
  if (database !== 'default' && takesDatabase !== true) refuse('--database is for migration')
  if (key !== undefined && takesKey !== true) refuse('--key is for reverse-scaffold')
  if (through === true && takesThrough !== true) refuse('--through is for model')
}

function resourceGenerator(name: string, description: string, parts: ResourceParts): Generator {
  const args = 'members member name:String birthday:LocalDate companyId:Option[Long]'
  return generator(
    { name, args, description, takesParent: true },
    (project, words, usage, direction, { parent }) =>
      resourcePlan(project, { words, usage, parent, parts }, direction),
  )
}

function reverseGenerator(
  name: string,
  args: string,
  description: string,
  kind: ReverseKind,
): Generator {
  const isKeyed = kind === 'scaffold' && args !== ''
  return generator(
    { name, args, description, readsDatabase: true, ...(isKeyed ? { takesKey: true } : {}) },
    (project, words, usage, direction, { key }) => {
      const choice =
        args === ''
          ? parseAllTables(project, words, usage)
          : parseTables(project, words, kind, usage)
      return reversePlan(project, { ...choice, ...(key && { key }) }, kind, direction)
    },
  )
}

/** All generators, in the order of the command's help. */
export const generators: readonly Generator[] = [
  resourceGenerator('scaffold', 'a resource with pages, JSON, XML, a table and tests', {
    kind: 'pages',
    hasViews: true,
  }),
  resourceGenerator('resource', 'a scaffold without its views and their tests', {
    kind: 'pages',
    hasViews: false,
  }),
  resourceGenerator('api-resource', 'a resource for programs: JSON and XML, no pages', {
    kind: 'api',
    hasViews: false,
  }),
  generator(
    {
      name: 'controller',
      args: 'reports',
      description: 'a controller with a page, a route and a test',
    },
    controllerPlan,
  ),
  generator(
    {
      name: 'model',
      args: 'company name:String',
      description: 'a model, its migration and its factory',
      takesThrough: true,
    },
    (project, words, usage, direction, { through }) =>
      modelPlan(project, words, usage, direction, through),
  ),
  generator(
    {
      name: 'migration',
      args: 'add_phone_to_members phone:String?',
      description: 'a migration that adds or removes columns, or with your SQL',
      takesDatabase: true,
    },
    (project, words, usage, _direction, { database }) =>
      migrationPlan(project, words, usage, database),
  ),
  generator(
    { name: 'filter', args: 'audit', description: 'a filter that controllers mix in' },
    filterPlan,
  ),
  generator({ name: 'view', args: 'members.archive', description: 'a view' }, viewPlan),
  generator(
    {
      name: 'deploy',
      args: 'docker (or systemd, kubernetes, procfile; several at once)',
      description: 'files to run the application in production',
    },
    deployPlan,
  ),
  generator(
    {
      name: 'vite',
      args: '(or vite tailwind)',
      description: 'a front-end build with Vite, with hot reload under fw run',
    },
    vitePlan,
  ),
  reverseGenerator(
    'reverse-scaffold',
    'members (more tables, or your own plural and singular)',
    'a scaffold over an existing table',
    'scaffold',
  ),
  reverseGenerator('reverse-scaffold-all', '', 'a scaffold over each table', 'scaffold'),
  reverseGenerator(
    'reverse-model',
    'members (more tables, or your own name)',
    'a model of an existing table',
    'model',
  ),
  reverseGenerator('reverse-model-all', '', 'a model of each table', 'model'),
]

/** @throws FwError `generate.unknown` */
export function findGenerator(name: string): Generator {
  // Ignore the name of the template language in `scaffold:ssp`.
  const plainName = name.replace(/:ssp$/, '')
  const found = generators.find((each) => each.name === plainName)
  if (found !== undefined) return found
  const names = generators.map((each) => each.name)
  const suggestion = didYouMean(name, names)
  const hint = suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`
  throw new FwError(
    'generate.unknown',
    `There is no generator '${name}'${hint}. The generators are: ${names.join(', ')}.`,
  )
}
