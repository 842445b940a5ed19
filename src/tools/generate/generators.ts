/** The generators that `fw g` and `fw destroy` run. */
import { didYouMean, FwError } from '../../runtime/base.ts'
import { authenticationPlan } from './authentication-plan.ts'
import { deployPlan } from './deploy-plan.ts'
import { jobPlan } from './job-plan.ts'
import {
  invalidArguments,
  type Command,
  type Direction,
  type GeneratorOptions,
  type Plan,
  type Project,
} from './project.ts'
import { languagePlan } from './language-plan.ts'
import { mailerPlan } from './mailer-plan.ts'
import { Name } from './resource-names.ts'
import { resourcePlan } from './resource-plan.ts'
import { reversePlan } from './reverse-plan.ts'
import { vitePlan } from './vite-plan.ts'
import {
  controllerPlan,
  filterPlan,
  migrationPlan,
  modelPlan,
  viewPlan,
} from './single-file-plans.ts'

/** A generator of `fw g`: plans the files that it writes or removes. */
export interface Generator {
  readonly name: string
  readonly usage: string
  readonly description: string
  /** Whether the project needs its database schema; with the option `over`, it always does. */
  readonly readsDatabase: boolean
  /** Plans the files to write. @throws FwError `generate.*` */
  plan(project: Project, words: readonly string[], options?: GeneratorOptions): Plan
  /** Plans the files to delete, and the edited files, such as `messages.yml`, without the generated parts. */
  removal(project: Project, words: readonly string[], options?: GeneratorOptions): Plan
}

interface Definition {
  readonly name: string
  readonly args: string
  readonly description: string
  readonly createPlan: (command: Command) => Plan
  /** The options that the generator takes. */
  readonly takes?: readonly (keyof GeneratorOptions)[]
  readonly readsDatabase?: true
}

function createGenerator(definition: Definition): Generator {
  const { name, args, description, createPlan, readsDatabase = false } = definition
  const usage = `Write it as: fw g ${name} ${args}`.trimEnd()
  const plan =
    (direction: Direction): Generator['plan'] =>
    (project, words, options = {}) => {
      refuseOptions(definition, options)
      return createPlan({ project, words, usage, direction, options })
    }
  return { name, usage, description, readsDatabase, plan: plan('add'), removal: plan('remove') }
}

function refuseOptions({ name, takes = [] }: Definition, options: GeneratorOptions): void {
  const { parent, scope, distributedBy, database = 'default', through, key, behind, over } = options
  const refuse = (option: keyof GeneratorOptions, isGiven: boolean, takers: string): void => {
    if (isGiven && !takes.includes(option))
      throw invalidArguments(`${formatFlag(option)} is for ${takers}, not for ${name}.`)
  }
  refuse('parent', parent !== undefined, 'scaffold, resource and api-resource')
  refuse('scope', scope !== undefined, 'scaffold, resource and api-resource')
  refuse('distributedBy', distributedBy !== undefined, 'scaffold, resource and api-resource')
  refuse('database', database !== 'default', 'migration')
  refuse('key', key !== undefined, 'reverse-scaffold')
  refuse('through', through === true, 'model')
  refuse('behind', behind !== undefined, 'deploy')
  refuse('over', over !== undefined, 'authentication')
  for (const option of accountParts) refuse(option, options[option] === false, 'authentication')
}

/** The options that leave out a part of accounts. */
const accountParts = ['totp', 'passkeys', 'apiTokens'] as const

const formatFlag = (option: keyof GeneratorOptions): string =>
  `--${accountParts.some((part) => part === option) ? 'no-' : ''}${new Name(option).kebab}`

const resource = {
  args: 'members member name:String birthday:LocalDate company:references?',
  takes: ['parent', 'scope', 'distributedBy'],
} as const

const definitions: readonly Definition[] = [
  {
    ...resource,
    name: 'scaffold',
    description: 'a resource with pages, JSON, XML, a table and tests',
    createPlan: (command) => resourcePlan(command, { kind: 'pages', hasViews: true }),
  },
  {
    ...resource,
    name: 'resource',
    description: 'a scaffold without its views and their tests',
    createPlan: (command) => resourcePlan(command, { kind: 'pages', hasViews: false }),
  },
  {
    ...resource,
    name: 'api-resource',
    description: 'a resource for programs: JSON and XML, no pages',
    createPlan: (command) => resourcePlan(command, { kind: 'api', hasViews: false }),
  },
  {
    name: 'controller',
    args: 'reports',
    description: 'a controller with a page, a route and a test',
    createPlan: controllerPlan,
  },
  {
    name: 'model',
    args: 'company name:String',
    description: 'a model, its migration and its factory',
    takes: ['through'],
    createPlan: modelPlan,
  },
  {
    name: 'migration',
    args: 'add_phone_to_members phone:String?',
    description: 'a migration that adds or removes columns, or with your SQL',
    takes: ['database'],
    createPlan: migrationPlan,
  },
  {
    name: 'filter',
    args: 'audit',
    description: 'a filter that controllers mix in',
    createPlan: filterPlan,
  },
  {
    name: 'job',
    args: 'invoice orderId:Long',
    description: 'a job, its test, and the tables of jobs',
    createPlan: jobPlan,
  },
  {
    name: 'mailer',
    args: 'welcome name:String user:references',
    description: 'a mail with both bodies, a preview and a test',
    createPlan: mailerPlan,
  },
  {
    name: 'authentication',
    args: '(or the name of the model: authentication member)',
    description: 'accounts: login by password, passkey or mail, second factor, devices, API tokens',
    takes: ['totp', 'passkeys', 'apiTokens', 'over'],
    createPlan: authenticationPlan,
  },
  { name: 'view', args: 'members.archive', description: 'a view', createPlan: viewPlan },
  {
    name: 'language',
    args: 'fr',
    description: 'the messages of the application in another language',
    createPlan: languagePlan,
  },
  {
    name: 'deploy',
    args: 'docker (or systemd, kubernetes, procfile; several at once)',
    description: 'files to run the application in production',
    takes: ['behind'],
    createPlan: deployPlan,
  },
  {
    name: 'vite',
    args: '(or vite tailwind)',
    description: 'a front-end build with Vite, with hot reload under fw run',
    createPlan: vitePlan,
  },
  {
    name: 'reverse-scaffold',
    args: 'members (more tables, or your own plural and singular)',
    description: 'a scaffold over an existing table',
    takes: ['key'],
    readsDatabase: true,
    createPlan: (command) => reversePlan(command, 'scaffold'),
  },
  {
    name: 'reverse-scaffold-all',
    args: '',
    description: 'a scaffold over each table',
    readsDatabase: true,
    createPlan: (command) => reversePlan(command, 'scaffold', true),
  },
  {
    name: 'reverse-model',
    args: 'members (more tables, or your own name)',
    description: 'a model of an existing table',
    readsDatabase: true,
    createPlan: (command) => reversePlan(command, 'model'),
  },
  {
    name: 'reverse-model-all',
    args: '',
    description: 'a model of each table',
    readsDatabase: true,
    createPlan: (command) => reversePlan(command, 'model', true),
  },
]

/** All generators, in the order of the command's help. */
export const generators: readonly Generator[] = definitions.map(createGenerator)

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
