/** What `fw g` knows to generate. */
import { didYouMean, FwError } from '../base.ts'
import type { Plan, Site } from './draft.ts'
import {
  allTables,
  readTables,
  reversePlan,
  reverseRemoval,
  type ReverseKind,
} from './reverse-plan.ts'
import {
  readResource,
  resourcePlan,
  resourceRemoval,
  type GeneratorOptions,
  type ResourceParts,
} from './resource-plan.ts'
import {
  controllerPlan,
  controllerRemoval,
  filterPlan,
  migrationPlan,
  modelPlan,
  modelRemoval,
  viewPlan,
} from './small-plans.ts'

/** One kind of thing that can be generated. */
export interface Generator {
  readonly name: string
  readonly usage: string
  readonly description: string
  /** It needs the database of the site. */
  readonly readsDatabase: boolean
  /** What it writes. @throws FwError `generate.*` */
  plan(site: Site, words: readonly string[], options?: GeneratorOptions): Plan
  /** What would be there, for `fw destroy`: files as generated, and files with the generated parts taken out. */
  removal(site: Site, words: readonly string[], options?: GeneratorOptions): Plan
}

type MakePlan = (
  site: Site,
  words: readonly string[],
  usage: string,
  options: GeneratorOptions,
) => Plan

function generator(
  name: string,
  args: string,
  description: string,
  plan: MakePlan,
  removal: MakePlan = plan,
  takesParent = false,
): Generator {
  const usage = `Write it as: fw g ${name} ${args}`.trimEnd()
  const allowed = (options: GeneratorOptions): GeneratorOptions => {
    if (takesParent || options.parent === undefined) return options
    throw new FwError(
      'generate.arguments-invalid',
      `--parent is for scaffold, resource and api-resource: ${name} writes nothing inside '${options.parent}'.`,
    )
  }
  return {
    name,
    usage,
    description,
    readsDatabase: false,
    plan: (site, words, options = {}) => plan(site, words, usage, allowed(options)),
    removal: (site, words, options = {}) => removal(site, words, usage, allowed(options)),
  }
}

function reverseGenerator(
  name: string,
  args: string,
  description: string,
  kind: ReverseKind,
): Generator {
  const choose = (site: Site, words: readonly string[], usage: string) =>
    args === '' ? allTables(site, words, usage) : readTables(site, words, kind, usage)
  const made = generator(
    name,
    args,
    description,
    (site, words, usage) => reversePlan(site, choose(site, words, usage), kind),
    (site, words, usage) => reverseRemoval(site, choose(site, words, usage), kind),
  )
  return { ...made, readsDatabase: true }
}

function resourceGenerator(name: string, description: string, parts: ResourceParts): Generator {
  return generator(
    name,
    'members member name:String birthday:LocalDate companyId:Option[Long]',
    description,
    (site, words, usage, options) =>
      resourcePlan(site, readResource(site, words, usage, options), parts),
    (site, words, usage, options) =>
      resourceRemoval(site, readResource(site, words, usage, options), parts),
    true,
  )
}

/** All generators, the most wanted first. */
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
    'controller',
    'reports',
    'a controller with a page, a route and a test',
    controllerPlan,
    controllerRemoval,
  ),
  generator(
    'model',
    'company name:String',
    'a model, its migration and its factory',
    modelPlan,
    modelRemoval,
  ),
  generator(
    'migration',
    "add_phone_to_members 'alter table members add phone varchar(40)'",
    'a migration with the SQL given',
    migrationPlan,
  ),
  generator('filter', 'audit', 'a filter that controllers mix in', filterPlan),
  generator('view', 'members.archive', 'a view', viewPlan),
  reverseGenerator(
    'reverse-scaffold',
    'members (more tables, or a plural and a singular of your own)',
    'a scaffold over a table that the database has',
    'scaffold',
  ),
  reverseGenerator('reverse-scaffold-all', '', 'a scaffold over each table', 'scaffold'),
  reverseGenerator(
    'reverse-model',
    'members (more tables, or a name of your own)',
    'a model of a table that the database has',
    'model',
  ),
  reverseGenerator('reverse-model-all', '', 'a model of each table', 'model'),
]

/** @throws FwError `generate.unknown` */
export function generatorOf(name: string): Generator {
  // The reference's names say which templates: here there is one kind.
  const plain = name.replace(/:ssp$/, '')
  const found = generators.find((each) => each.name === plain)
  if (found !== undefined) return found
  const names = generators.map((each) => each.name)
  const meant = didYouMean(name, names)
  throw new FwError(
    'generate.unknown',
    `There is no generator '${name}'${meant === undefined ? '' : ` (did you mean ${meant}?)`}: ${names.join(', ')}.`,
  )
}
