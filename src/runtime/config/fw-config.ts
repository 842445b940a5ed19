/** `FwConfig`: reads the configuration of the running application through methods with the specification's names. */
import { ApplicationScope } from './application-scope.ts'
import type { ConfigKey } from './config-keys.ts'
import { Configuration } from './configuration.ts'
import type { FwEnv } from './environment.ts'
import { loadConfiguration } from './load-configuration.ts'

/** The configurations of the running applications; the most recent is the last. */
let used: readonly Configuration[] = []
/** The configuration of the working folder, once it is loaded. */
let loaded: Configuration | undefined

/**
 * Reads values by dotted key; `undefined` if a key is missing or its value is of another kind. Reads the configuration of the
 * running application, else the one set by {@link FwConfig.use}, else that of the working folder. The last is loaded at the
 * first call.
 *
 * @spec Configuration values
 */
export class FwConfig {
  /**
   * Sets the configuration; `undefined` removes all set configurations. Returns a function that removes this configuration, so
   * that the previous one is used again.
   */
  static use(configuration: Configuration | undefined): () => void {
    loaded = undefined
    used = configuration === undefined ? [] : [...used, configuration]
    return () => {
      used = used.filter((one) => one !== configuration)
    }
  }

  /**
   * Creates a configuration from plain values, for the option `configuration` of `createApp`, `FwServer` and `testApp`; keys
   * may be dotted. Its environment is `test` by default.
   *
   * @throws `config.invalid` for a key that is given twice
   */
  static from(values: Readonly<Record<string, unknown>>, env?: FwEnv): Configuration {
    return Configuration.from(values, env)
  }

  static get current(): Configuration {
    const current = ApplicationScope.current?.configuration ?? used.at(-1)
    return current ?? (loaded ??= loadConfiguration({ root: process.cwd() }))
  }

  static get env(): FwEnv {
    return FwConfig.current.env
  }

  static stringConfigValue(key: ConfigKey): string | undefined {
    return FwConfig.current.get(key, 'string')
  }

  static intConfigValue(key: ConfigKey): number | undefined {
    return FwConfig.current.get(key, 'int')
  }

  /** Returns the same as {@link FwConfig.intConfigValue}: a safe integer. */
  static longConfigValue(key: ConfigKey): number | undefined {
    return FwConfig.current.get(key, 'int')
  }

  static doubleConfigValue(key: ConfigKey): number | undefined {
    return FwConfig.current.get(key, 'double')
  }

  static booleanConfigValue(key: ConfigKey): boolean | undefined {
    return FwConfig.current.get(key, 'boolean')
  }

  /** Returns milliseconds for a duration such as `200ms`, `5s`, `1m`, `2h` or `7d`. */
  static durationConfigValue(key: ConfigKey): number | undefined {
    return FwConfig.current.get(key, 'duration')
  }

  /** Returns bytes for a size such as `512`, `10KiB`, `1MiB` or `1MB`. */
  static sizeConfigValue(key: ConfigKey): number | undefined {
    return FwConfig.current.get(key, 'size')
  }

  static stringSeqConfigValue(key: ConfigKey): readonly string[] | undefined {
    return FwConfig.current.seq(key, 'string')
  }

  static intSeqConfigValue(key: ConfigKey): readonly number[] | undefined {
    return FwConfig.current.seq(key, 'int')
  }

  /** Returns the same as {@link FwConfig.intSeqConfigValue}. */
  static longSeqConfigValue(key: ConfigKey): readonly number[] | undefined {
    return FwConfig.current.seq(key, 'int')
  }

  static doubleSeqConfigValue(key: ConfigKey): readonly number[] | undefined {
    return FwConfig.current.seq(key, 'double')
  }

  static booleanSeqConfigValue(key: ConfigKey): readonly boolean[] | undefined {
    return FwConfig.current.seq(key, 'boolean')
  }

  /** Returns the value or section with the types that YAML gives: string, number, boolean, array or object. */
  static getConfigValue(key: ConfigKey): unknown {
    return FwConfig.current.value(key)
  }
}
