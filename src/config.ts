/** config: an application's settings: nested key files, dotted keys, environments. */
export { Configuration } from './config/configuration.ts'
export { loadConfiguration, previewConfiguration } from './config/load.ts'
export type { ConfigurationSource } from './config/load.ts'
export { FwConfig } from './config/fw-config.ts'
export { FwEnv } from './config/environment.ts'
export type { Variables } from './config/environment.ts'
export { defineSettings, settingRows } from './config/settings.ts'
export type {
  EachSection,
  Setting,
  SettingRow,
  SettingsOf,
  SettingsSchema,
} from './config/settings.ts'
export { readSettings } from './config/read-settings.ts'
export { ConfigurationError, placeOf } from './config/problem.ts'
export type { ConfigProblem } from './config/problem.ts'
export { readKeyFile, readKeyFiles } from './config/key-file.ts'
export { parseKeyFile } from './config/parse.ts'
export type { ParsedKeyFile } from './config/parse.ts'
export { leavesOf } from './config/key-tree.ts'
export type { Entry, Leaf, List, Origin, Section } from './config/key-tree.ts'
export { parseDuration, parseSize } from './config/convert.ts'
export type { Kind, Kinds } from './config/convert.ts'
export { generateConfigKeys } from './config/config-keys.ts'
export type { ConfigKey, ConfigKeys } from './config/config-keys.ts'
export { cacheFolder } from './config/cache-folder.ts'
