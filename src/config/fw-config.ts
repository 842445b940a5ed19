/** The configuration of the running application, under the specification's names. */
import type { ConfigKey } from './config-keys.ts'
import type { Configuration } from './configuration.ts'
import type { FwEnv } from './environment.ts'
import { loadConfiguration } from './load.ts'

let current: Configuration | undefined

/**
 * Values by dotted key, `undefined` when missing or of another kind. Reads the configuration handed to
 * {@link FwConfig.use}; without one, that of the working folder when first asked.
 *
 * @spec Configuration values
 */
export class FwConfig {
  /**
   * Makes `configuration` the one that is read from now on; `undefined` forgets it. What it answers forgets it too, unless
   * another has taken its place.
   */
  static use(configuration: Configuration | undefined): () => void {
    current = configuration
    return () => {
      if (current === configuration) current = undefined
    }
  }

  static get current(): Configuration {
    return (current ??= loadConfiguration({ root: process.cwd() }))
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

  /** The same as {@link FwConfig.intConfigValue}: a safe integer. */
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

  /** The same as {@link FwConfig.intSeqConfigValue}. */
  static longSeqConfigValue(key: ConfigKey): readonly number[] | undefined {
    return FwConfig.current.seq(key, 'int')
  }

  static doubleSeqConfigValue(key: ConfigKey): readonly number[] | undefined {
    return FwConfig.current.seq(key, 'double')
  }

  static booleanSeqConfigValue(key: ConfigKey): readonly boolean[] | undefined {
    return FwConfig.current.seq(key, 'boolean')
  }

  /** The value or section as YAML understands it. */
  static getConfigValue(key: ConfigKey): unknown {
    return FwConfig.current.value(key)
  }
}
