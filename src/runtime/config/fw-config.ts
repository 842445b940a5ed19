/** The configuration of the running application, under the specification's names. */
import { ApplicationScope } from './application-scope.ts'
import type { ConfigKey } from './config-keys.ts'
import { Configuration } from './configuration.ts'
import type { FwEnv } from './environment.ts'
import { loadConfiguration } from './load-configuration.ts'

/** The configurations of the running applications, the last one last. */
let used: readonly Configuration[] = []
/** That of the working folder. */
let loaded: Configuration | undefined

/**
 * Reads values by dotted key; `undefined` when a key is missing or its value is of another kind. Reads the configuration
 * of the running application, else that of {@link FwConfig.use}, else that of the working folder, loaded at the first
 * call.
 *
 * @spec Configuration values
 */
export class FwConfig {
  /** Sets the configuration; `undefined` unsets all. The result unsets it, so that the one before counts again. */
  static use(configuration: Configuration | undefined): () => void {
    loaded = undefined
    used = configuration === undefined ? [] : [...used, configuration]
    return () => {
      used = used.filter((one) => one !== configuration)
    }
  }

  /**
   * A configuration of plain values, for the option `configuration` of `createApp`, `FwServer` and `testApp`; keys may be
   * dotted. Its environment is `test` by default.
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

  /** Equal to {@link FwConfig.intConfigValue}: a safe integer. */
  static longConfigValue(key: ConfigKey): number | undefined {
    return FwConfig.current.get(key, 'int')
  }

  static doubleConfigValue(key: ConfigKey): number | undefined {
    return FwConfig.current.get(key, 'double')
  }

  static booleanConfigValue(key: ConfigKey): boolean | undefined {
    return FwConfig.current.get(key, 'boolean')
  }

  /** Milliseconds of `200ms`, `5s`, `1m`, `2h`, `7d`. */
  static durationConfigValue(key: ConfigKey): number | undefined {
    return FwConfig.current.get(key, 'duration')
  }

  /** Bytes of `512`, `10KiB`, `1MiB`, `1MB`. */
  static sizeConfigValue(key: ConfigKey): number | undefined {
    return FwConfig.current.get(key, 'size')
  }

  static stringSeqConfigValue(key: ConfigKey): readonly string[] | undefined {
    return FwConfig.current.seq(key, 'string')
  }

  static intSeqConfigValue(key: ConfigKey): readonly number[] | undefined {
    return FwConfig.current.seq(key, 'int')
  }

  /** Equal to {@link FwConfig.intSeqConfigValue}. */
  static longSeqConfigValue(key: ConfigKey): readonly number[] | undefined {
    return FwConfig.current.seq(key, 'int')
  }

  static doubleSeqConfigValue(key: ConfigKey): readonly number[] | undefined {
    return FwConfig.current.seq(key, 'double')
  }

  static booleanSeqConfigValue(key: ConfigKey): readonly boolean[] | undefined {
    return FwConfig.current.seq(key, 'boolean')
  }

  /** The value or section by YAML's types. */
  static getConfigValue(key: ConfigKey): unknown {
    return FwConfig.current.value(key)
  }
}
