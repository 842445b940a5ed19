/** Name and version from a package.json. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFile } from '../base.ts'

/** Undefined members are absent or not texts. */
export interface Manifest {
  readonly name: string | undefined
  readonly version: string | undefined
}

/** An application in one file may have no manifest: then both members are undefined. */
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

/** The version of the running fwjs. */
export const frameworkVersion = (): string => readManifest(packageFile('')).version ?? 'unknown'
