/** The name of the environment that the application runs in. */
import { didYouMean } from '../base.ts'

/** Environment variables as `process.env` has them. */
export type Variables = Readonly<Record<string, string | undefined>>

const spellings: readonly (readonly string[])[] = [
  ['development', 'dev'],
  ['test'],
  ['staging', 'qa'],
  ['production', 'prod'],
]

/** The names of the environments that Fw knows, short ones included. */
export const knownEnvironments: readonly string[] = spellings.flat()

/**
 * The environment: `FW_ENV`, else `APP_ENV`, else `NODE_ENV`, else development. Letter case counts.
 *
 * @spec Configuration values
 */
export class FwEnv {
  /** As it was given: `prod` stays `prod`. */
  readonly name: string
  /** All spellings of it, the long one first; an application's own environment has one. */
  readonly names: readonly string[]

  constructor(name = 'development') {
    this.name = name
    this.names = spellings.find((names) => names.includes(name)) ?? [name]
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

  /** False for an environment of the application's own. */
  get isKnown(): boolean {
    return knownEnvironments.includes(this.name)
  }

  /** The environment that a misspelt name was meant to be. */
  suggestion(): string | undefined {
    return didYouMean(this.name, knownEnvironments)
  }
}
