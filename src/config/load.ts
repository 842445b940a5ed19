/** Reads the configuration of an application: its files, the environment's section, the variables. */
import { resolve } from 'node:path'
import { Configuration } from './configuration.ts'
import { withDotenv } from './dotenv.ts'
import { FwEnv, knownEnvironments } from './environment.ts'
import type { Variables } from './environment.ts'
import { expandVariables } from './expand.ts'
import { readWithIncludes } from './key-file.ts'
import { emptySection, overlay } from './key-tree.ts'
import type { Section } from './key-tree.ts'
import { ConfigurationError } from './problem.ts'
import type { ConfigProblem } from './problem.ts'

const usualFile = 'src/main/resources/application.yml'

/** Where to read from; everything but `root` has a default. */
export interface ConfigurationSource {
  /** The folder of the application. */
  readonly root: string
  /** The name of the environment; by default what the variables say. */
  readonly env?: string | undefined
  /** Instead of `process.env`. */
  readonly environment?: Variables
  /** From `root`; must exist when given. By default `src/main/resources/application.yml`, if there is one. */
  readonly file?: string | undefined
}

/**
 * The section named after the environment lies over the root, over the file that `FW_CONFIG_FILE` names; the
 * sections of other environments are left out. `${NAME}` and `${NAME:-default}` are filled in.
 *
 * @throws `config.invalid` listing all problems with their places
 * @spec Configuration values
 */
export function loadConfiguration(source: ConfigurationSource): Configuration {
  const { configuration, problems } = readConfiguration(source)
  if (problems.length > 0) throw new ConfigurationError(problems)
  return configuration
}

/**
 * As {@link loadConfiguration}, for tools that run where the application's variables are not set: what needs them is
 * absent.
 *
 * @throws `config.invalid` when a file cannot be read
 */
export function previewConfiguration(source: ConfigurationSource): Configuration {
  return readConfiguration(source).configuration
}

function readConfiguration(source: ConfigurationSource) {
  const given = source.environment ?? process.env
  const env = source.env === undefined ? FwEnv.of(given) : new FwEnv(source.env)
  const problems: ConfigProblem[] = []
  const variables = withDotenv(source.root, env, given)
  const tree = readTree(source, variables)
  if (!env.isKnown && !hasSection(tree, env.name)) problems.push(unknownEnvironment(env))
  const section = expandVariables(effective(tree, env), variables, problems)
  return { configuration: new Configuration(section, env, variables), problems }
}

/** The file of an application with what it includes, over the file that `FW_CONFIG_FILE` names. */
export function readTree({ root, file }: ConfigurationSource, variables: Variables = {}): Section {
  const own = readWithIncludes(resolve(root, file ?? usualFile))
  if (own === undefined && file !== undefined) throw missing(file)
  const tree = own ?? emptySection(usualFile)
  const extra = variables['FW_CONFIG_FILE']
  if (!extra) return tree
  const lower = readWithIncludes(resolve(root, extra))
  if (lower === undefined) throw missing(extra)
  return overlay(lower, tree)
}

function missing(file: string): ConfigurationError {
  return new ConfigurationError([{ origin: undefined, text: `the file ${file} does not exist` }])
}

function hasSection(tree: Section, name: string): boolean {
  return tree.entries.get(name)?.kind === 'section'
}

/** What holds in every environment: the sections named after one are left out, `own` among them. */
export function withoutEnvironments(tree: Section, own?: string): Section {
  const entries = new Map(tree.entries)
  for (const name of [...knownEnvironments, own ?? '']) {
    if (hasSection(tree, name)) entries.delete(name)
  }
  return { ...tree, entries }
}

function effective(tree: Section, env: FwEnv): Section {
  let section = withoutEnvironments(tree, env.name)
  for (const name of env.names) {
    const upper = tree.entries.get(name)
    if (upper?.kind === 'section') section = overlay(section, upper)
  }
  return section
}

function unknownEnvironment(env: FwEnv): ConfigProblem {
  const meant = env.suggestion()
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  const text = `the environment "${env.name}" is unknown and has no section in ${usualFile}${hint}`
  return { origin: undefined, text }
}
