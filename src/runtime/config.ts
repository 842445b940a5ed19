/** config: the settings of an application, read from nested key files, with dotted keys and environments. */
export { ApplicationScope } from './config/application-scope.ts'
export { PerApplication } from './config/per-application.ts'
export { Configuration } from './config/configuration.ts'
export { loadConfiguration, previewConfiguration } from './config/load-configuration.ts'
export { FwConfig } from './config/fw-config.ts'
export { FwEnv } from './config/environment.ts'
export { defineSettings, readSettings, settingRows } from './config/settings.ts'
export type { SettingRow, SettingsOf } from './config/settings.ts'
export { ConfigurationError, formatOrigin } from './config/configuration-error.ts'
export type { ConfigProblem } from './config/configuration-error.ts'
export {
  readKeyFile,
  readKeyFiles,
  useParsedKeyFiles,
  writeParsedKeyFiles,
} from './config/key-file.ts'
export { iterateLeaves } from './config/key-tree.ts'
export type { Entry, Leaf, Section } from './config/key-tree.ts'
export { generateConfigKeys } from './config/config-keys.ts'
export type { ConfigKeys } from './config/config-keys.ts'
export { cacheFolder } from './config/cache-folder.ts'
