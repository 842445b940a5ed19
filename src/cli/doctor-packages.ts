/** Looks at Node and at what is installed. */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findings, type Finding } from './finding.ts'

interface Package {
  readonly version?: string
  readonly integrity?: string
  readonly optional?: boolean
  readonly link?: boolean
}
type Packages = Readonly<Record<string, Package>>

const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
const ownFolder = fileURLToPath(new URL('../..', import.meta.url))

const numbers = (version: string): number[] => version.split('.').map(Number)

/** Whether `version` is `floor` or newer, number by number. */
function reaches(version: string, floor: string): boolean {
  const given = numbers(version)
  const wanted = numbers(floor)
  const at = wanted.findIndex((number, place) => number !== given[place])
  return at < 0 || given[at]! > wanted[at]!
}

/** The x of `>=x`; other ranges are npm's to judge. */
function floorOf(manifest: string): string | undefined {
  const { engines } = json(manifest) as { readonly engines?: { readonly node?: string } }
  return /^>= ?(\d+(?:\.\d+){0,2})$/.exec(engines?.node ?? '')?.[1]
}

/** Node against what Fw and the application need. */
export function lookAtNode(root: string, version = process.versions.node): Finding[] {
  const { ok, problem } = findings('node')
  const manifests = [join(ownFolder, 'package.json'), join(root, 'package.json')]
  const floors = manifests.filter(existsSync).map(floorOf)
  const missed = floors.find((floor) => floor !== undefined && !reaches(version, floor))
  return missed === undefined
    ? [ok(`Node ${version}`)]
    : [
        problem(
          `Node ${version} is too old: ${missed} or newer is needed`,
          'Install Node 24 from https://nodejs.org; ./fw fetches one by itself.',
        ),
      ]
}

const packagesOf = (file: string): Packages | undefined =>
  existsSync(file) ? (json(file) as { readonly packages?: Packages }).packages : undefined

/** Names whose version or content differ; packages for other systems may be absent. */
function differences(wanted: Packages, installed: Packages): string[] {
  const names = new Set([...Object.keys(wanted), ...Object.keys(installed)])
  names.delete('')
  return [...names].filter((name) => {
    const should = wanted[name]
    const is = installed[name]
    if (is === undefined) return should?.optional !== true
    return (
      should === undefined || should.version !== is.version || should.integrity !== is.integrity
    )
  })
}

/** What is installed against the lockfile. */
export function lookAtPackages(root: string): Finding[] {
  const { ok, warning, problem } = findings('packages')
  const wanted = packagesOf(join(root, 'package-lock.json'))
  const installed = packagesOf(join(root, 'node_modules/.package-lock.json'))
  if (wanted === undefined)
    return [
      warning(
        'there is no package-lock.json: another machine may get other versions',
        'npm install, and commit package-lock.json',
      ),
    ]
  if (installed === undefined) return [problem('the packages are not installed', 'npm ci')]
  const different = differences(wanted, installed).map((name) =>
    name.replace(/^node_modules\//, ''),
  )
  if (different.length === 0) return [ok('the packages are those of package-lock.json')]
  const shown = different.slice(0, 3).join(', ')
  const more = different.length > 3 ? ` and ${different.length - 3} more` : ''
  return [problem(`installed are not the packages of package-lock.json: ${shown}${more}`, 'npm ci')]
}

function resolved(root: string): string | undefined {
  try {
    const entry = createRequire(join(root, 'package.json')).resolve('fwjs/package.json')
    return realpathSync(dirname(entry))
  } catch {
    return undefined
  }
}

/** The `fwjs` that the application imports; a second one would not know the controllers of the first. */
export function lookAtCopies(root: string): Finding[] {
  const { ok, problem } = findings('fwjs')
  const used = resolved(root)
  if (used === undefined) return [problem('the application has no fwjs', 'npm install fwjs')]
  if (used !== realpathSync(ownFolder))
    return [
      problem(
        `this command is of ${resolve(ownFolder)}, the application imports ${used}`,
        "Run the application's own: ./fw doctor",
      ),
    ]
  const installed = packagesOf(join(root, 'node_modules/.package-lock.json')) ?? {}
  const copies = Object.keys(installed).filter((name) => /(?:^|\/)node_modules\/fwjs$/.test(name))
  return copies.length > 1
    ? [problem(`fwjs is there ${copies.length} times: ${copies.join(', ')}`, 'npm dedupe')]
    : [ok('one fwjs')]
}
