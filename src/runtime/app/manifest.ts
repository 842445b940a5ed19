/** Reads the name and version in a package.json. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFile } from '../base.ts'

/** The name and version in a package.json; a member is undefined if it is absent or not a text. */
export interface Manifest {
  readonly name: string | undefined
  readonly version: string | undefined
}

/** Reads the package.json of a folder. If it does not exist, as for an application in one file, both members are undefined. */
export function readManifest(folder: string): Manifest {
  try {
    const { name, version } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Record<string, unknown>
    return {
      name: typeof name === 'string' ? name : undefined,
      version: typeof version === 'string' ? version : undefined,
    }
  } catch {
    return { name: undefined, version: undefined }
  }
}

export const frameworkVersion = (): string => readManifest(packageFile('')).version ?? 'unknown'
