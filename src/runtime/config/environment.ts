/** The environment of the application, such as production. */
import { didYouMean } from '../base.ts'

/** Environment variables, as in `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>

const aliases: readonly (readonly string[])[] = [
  ['development', 'dev'],
  ['test'],
  ['staging', 'qa'],
  ['production', 'prod'],
]

/** The names of all predefined environments, short ones included. */
export const knownEnvironments: readonly string[] = aliases.flat()

/**
 * The environment: `FW_ENV`, else `APP_ENV`, else `NODE_ENV`, else development. Letter case counts.
 *
 * @spec Configuration values
 */
export class FwEnv {
  /** The name in the variable: `prod` stays `prod`. */
  readonly name: string
  /** All names of the environment, the long one first; a custom environment has one. */
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

  /** False for a custom environment. */
  get isKnown(): boolean {
    return knownEnvironments.includes(this.name)
  }

  /** The known environment with a similar name, for a misspelt one. */
  suggestion(): string | undefined {
    return didYouMean(this.name, knownEnvironments)
  }
}
