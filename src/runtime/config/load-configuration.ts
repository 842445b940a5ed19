/** Loads an application's configuration: its files, the section of the environment, the variables. */
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { Configuration } from './configuration.ts'
import { ConfigurationError, type ConfigProblem } from './configuration-error.ts'
import { FwEnv, knownEnvironments, type Variables } from './environment.ts'
import { expandVariables } from './expand-variables.ts'
import { readText, readWithIncludes } from './key-file.ts'
import { emptySection, overlay, type Section } from './key-tree.ts'

const defaultFile = 'src/main/resources/application.yml'

/** The files and variables to read; everything but `root` has a default. */
export interface ConfigurationSource {
  /** The folder of the application. */
  readonly root: string
  /** The name of the environment; by default that of the variables. */
  readonly env?: string | undefined
  /** Replaces `process.env`. */
  readonly environment?: Variables
  /** Relative to `root`; must exist. By default `src/main/resources/application.yml`, which may be missing. */
  readonly file?: string | undefined
}

/**
 * The section named after the environment overrides the root, which overrides the file that `FW_CONFIG_FILE` names;
 * sections of other environments are omitted. `${NAME}` and `${NAME:-default}` are expanded.
 *
 * @throws `config.invalid` listing all problems with their origins
 * @spec Configuration values
 */
export function loadConfiguration(source: ConfigurationSource): Configuration {
  const { configuration, problems } = readConfiguration(source)
  if (problems.length > 0) throw new ConfigurationError(problems)
  return configuration
}

/**
 * The configuration for tools that run without the application's variables; values that need them are absent.
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

/** The names of the `.env` files, strongest first. Tests skip `.env.local`, so that they do not depend on one machine. */
function dotenvFiles(env: FwEnv): string[] {
  const [name] = env.names
  const local = env.isTest() ? [] : ['.env.local']
  return [`.env.${name}.local`, ...local, `.env.${name}`, '.env']
}

/** The variables, over those of the `.env` files; production and staging read no such files. */
function withDotenv(root: string, env: FwEnv, variables: Variables): Variables {
  if (!env.isDevelopment() && !env.isTest()) return variables
  const all: Record<string, string | undefined> = Object.create(null)
  for (const file of dotenvFiles(env).reverse()) {
    const text = readText(join(root, file))
    if (text !== undefined) Object.assign(all, parseEnv(text))
  }
  return Object.assign(all, variables)
}

/** The file of an application with its includes, over the file that `FW_CONFIG_FILE` names. */
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

/** The tree without the sections of the known environments and of `custom`. */
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
