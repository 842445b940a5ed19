/** Reads the name and version in a package.json. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFile } from '../base.ts'

const asText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

/** Reads the package.json of a folder. Without that file, as for an application in one file, both members are undefined. */
export function readManifest(folder: string) {
  try {
    const text = readFileSync(join(folder, 'package.json'), 'utf8')
    const { name, version } = JSON.parse(text) as Record<string, unknown>
    return { name: asText(name), version: asText(version) }
  } catch {
    return { name: undefined, version: undefined }
  }
}

export const frameworkVersion = (): string => readManifest(packageFile('')).version ?? 'unknown'
