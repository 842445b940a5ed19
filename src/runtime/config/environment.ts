/** `FwEnv`: the environment in which the application runs, such as production. */
import { didYouMean } from '../base.ts'

/** Environment variables, as in `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>

const aliases: readonly (readonly string[])[] = [
  ['development', 'dev'],
  ['test'],
  ['staging', 'qa'],
  ['production', 'prod'],
]

/** The names of all predefined environments, including the short names. */
export const knownEnvironments: readonly string[] = aliases.flat()

/**
 * The environment in which the application runs: the first set variable of `FW_ENV`, `APP_ENV` and `NODE_ENV`, else
 * development. Names are case-sensitive.
 *
 * @spec Configuration values
 */
export class FwEnv {
  /** The name as the variable contains it: `prod` stays `prod`. */
  readonly name: string
  /** All names of the environment, the long name first. A custom environment has only one name. */
  readonly names: readonly string[]

  constructor(name = 'development') {
    this.name = name
    this.names = aliases.find((names) => names.includes(name)) ?? [name]
  }

  static of(variables: Variables): FwEnv {
    return new FwEnv(
      variables['FW_ENV'] || variables['APP_ENV'] || variables['NODE_ENV'] || undefined,
    )
  }

  isDevelopment(): boolean {
    return this.names[0] === 'development'
  }

  isTest(): boolean {
    return this.names[0] === 'test'
  }

  isStaging(): boolean {
    return this.names[0] === 'staging'
  }

  isProduction(): boolean {
    return this.names[0] === 'production'
  }

  /** True for a predefined environment, false for a custom one. */
  get isKnown(): boolean {
    return knownEnvironments.includes(this.name)
  }

  /** Returns the predefined environment with the most similar name, in case the name is misspelt. */
  suggestion(): string | undefined {
    return didYouMean(this.name, knownEnvironments)
  }
}
