/** `fw new`: writes a new application. */
import { existsSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import { FwError } from '../base.ts'
import { applicationDrafts, writeDrafts, type WriteOptions } from '../generate.ts'
import { tellOutcomes } from './tell-outcomes.ts'
import { version } from './version.ts'

interface NewOptions extends WriteOptions {
  readonly fwjs?: string
  readonly json?: boolean
}

/** A path becomes a `file:` of the application's package.json, everything else is a version. */
function dependency(given: string | undefined, root: string): string {
  if (given === undefined) return version()
  if (/^[~^<>=v]?\d/.test(given) && !existsSync(given)) return given
  const path = given.replace(/^file:/, '')
  if (!existsSync(path))
    throw new FwError(
      'cli.option-invalid',
      `--fwjs ${given} is neither a version nor a file or folder.`,
    )
  return `file:${relative(root, resolve(path)).replaceAll('\\', '/')}`
}

/** @throws FwError `generate.file-exists`, `generate.name-invalid`, `cli.option-invalid` */
export function newApplication(folder: string, options: NewOptions): void {
  const root = resolve(folder)
  const drafts = applicationDrafts({
    name: basename(root),
    fwjs: dependency(options.fwjs, root),
  })
  tellOutcomes(writeDrafts(root, drafts, options), options)
  if (options.json !== true && options.pretend !== true)
    process.stdout.write(`\ncd ${folder}\n./fw run\n`)
}
