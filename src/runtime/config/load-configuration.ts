/** Loads an application's configuration: merges its files, selects the section of the environment, and replaces variables. */
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { Configuration } from './configuration.ts'
import { ConfigurationError, type ConfigProblem } from './configuration-error.ts'
import { FwEnv, knownEnvironments, type Variables } from './environment.ts'
import { expandVariables } from './expand-variables.ts'
import { readText, readWithIncludes } from './key-file.ts'
import { emptySection, overlay, type Section } from './key-tree.ts'

const defaultFile = 'src/main/resources/application.yml'

/** The files and variables that make up the configuration; only `root` is required. */
export interface ConfigurationSource {
  /** The root folder of the application. */
  readonly root: string
  /** The name of the environment; by default, the variables determine it. */
  readonly env?: string | undefined
  /** The environment variables; `process.env` by default. */
  readonly environment?: Variables
  /** The file, relative to `root`; it must exist. The default, `src/main/resources/application.yml`, need not. */
  readonly file?: string | undefined
}

/**
 * Loads the configuration. The section named after the environment overrides the top-level values of the file, which override
 * the file that the variable `FW_CONFIG_FILE` names. Sections of other environments are left out. `${NAME}` and
 * `${NAME:-default}` are replaced by environment variables.
 *
 * @throws `config.invalid` listing all problems with their source locations
 * @spec Configuration values
 */
export function loadConfiguration(source: ConfigurationSource): Configuration {
  const { configuration, problems } = readConfiguration(source)
  if (problems.length > 0) throw new ConfigurationError(problems)
  return configuration
}

/**
 * Loads the configuration for tools that run without the application's environment variables. A value that refers to a missing
 * variable keeps its text, and an unknown environment is accepted.
 *
 * @throws `config.invalid` when a file cannot be read
 */
export function previewConfiguration(source: ConfigurationSource): Configuration {
  return readConfiguration(source).configuration
}

function readConfiguration(source: ConfigurationSource) {
  const environment = source.environment ?? process.env
  const env = source.env === undefined ? FwEnv.of(environment) : new FwEnv(source.env)
  const problems: ConfigProblem[] = []
  const variables = withDotenv(source.root, env, environment)
  const tree = readTree(source, variables)
  if (!env.isKnown && !hasSection(tree, env.name)) problems.push(unknownEnvironment(env))
  const section = expandVariables(selectEnvironment(tree, env), variables, problems)
  return { configuration: new Configuration(section, env), problems }
}

/** Adds the variables of the `.env` files to `variables`, which override them. Production and staging read no `.env` files. */
function withDotenv(root: string, env: FwEnv, variables: Variables): Variables {
  if (!env.isDevelopment() && !env.isTest()) return variables
  const all: Record<string, string | undefined> = Object.create(null)
  const [name] = env.names
  // In ascending precedence. Tests skip `.env.local`, so that their result does not depend on the machine.
  const local = env.isTest() ? [] : ['.env.local']
  for (const file of ['.env', `.env.${name}`, ...local, `.env.${name}.local`]) {
    const text = readText(join(root, file))
    if (text !== undefined) Object.assign(all, parseEnv(text))
  }
  return Object.assign(all, variables)
}

/** Reads the configuration file with its includes, which overrides the file that `FW_CONFIG_FILE` names. */
export function readTree({ root, file }: ConfigurationSource, variables: Variables = {}): Section {
  const own = readWithIncludes(resolve(root, file ?? defaultFile))
  if (own === undefined && file !== undefined) throw missingFile(file)
  const tree = own ?? emptySection(defaultFile)
  const lowerFile = variables['FW_CONFIG_FILE']
  if (!lowerFile) return tree
  const lower = readWithIncludes(resolve(root, lowerFile))
  if (lower === undefined) throw missingFile(lowerFile)
  return overlay(lower, tree)
}

function missingFile(file: string): ConfigurationError {
  return new ConfigurationError([{ origin: undefined, text: `the file ${file} does not exist` }])
}

function hasSection(tree: Section, name: string): boolean {
  return tree.entries.get(name)?.kind === 'section'
}

/** Returns the tree without the sections of the predefined environments and of the environment `custom`. */
export function omitEnvironments(tree: Section, custom?: string): Section {
  const entries = new Map(tree.entries)
  for (const name of [...knownEnvironments, custom ?? '']) {
    if (hasSection(tree, name)) entries.delete(name)
  }
  return { ...tree, entries }
}

function selectEnvironment(tree: Section, env: FwEnv): Section {
  let section = omitEnvironments(tree, env.name)
  for (const name of env.names) {
    const upper = tree.entries.get(name)
    if (upper?.kind === 'section') section = overlay(section, upper)
  }
  return section
}

function unknownEnvironment(env: FwEnv): ConfigProblem {
  const suggestion = env.suggestion()
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
  const text = `the environment "${env.name}" of FW_ENV is unknown, because ${defaultFile} has no section of that name${hint}`
  return { origin: undefined, text }
}
