/** The checks of `fw doctor`, except for databases: Node, packages, settings, types, git, disk, port. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join, relative, resolve } from 'node:path'
import {
  applicationSettings,
  findRiskySettings,
  hasSecureCookies,
  type Application,
} from '../../runtime/app.ts'
import { FwError, packageFile } from '../../runtime/base.ts'
import {
  formatOrigin,
  FwEnv,
  loadConfiguration,
  previewConfiguration,
  readSettings,
  type ConfigProblem,
} from '../../runtime/config.ts'
import { usesSession } from '../../runtime/feature.ts'
import { MemoryStore } from '../../runtime/session.ts'
import { generateKeys } from '../../templates/compile.ts'
import { reportMessages, type MessageReport } from './check-messages.ts'
import { checkApplication, findProblems } from './check.ts'
import { inspectApplication, listenPort } from './load-application.ts'
import { findSettingRemedy } from './setting-remedies.ts'

/** A finding of `fw doctor`, printed as one line. */
export interface Finding {
  /** The checked topic, such as `database`; by default the name of the check. */
  readonly topic?: string
  readonly state: 'ok' | 'warning' | 'problem'
  readonly text: string
  readonly mend?: string
}

const make =
  (state: Finding['state']) =>
  (text: string, mend?: string): Finding => ({
    state,
    text,
    ...(mend === undefined ? {} : { mend }),
  })
export const [ok, warning, problem] = [make('ok'), make('warning'), make('problem')] as const

interface Package {
  readonly version?: string
  readonly integrity?: string
  readonly optional?: boolean
  readonly dev?: boolean
  readonly devOptional?: boolean
}
type Packages = Readonly<Record<string, Package>>

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
const ownFolder = packageFile('')

const isOlder = (version: string, minimum: string): boolean =>
  version.localeCompare(minimum, 'en', { numeric: true }) < 0

/** Returns the version x if the manifest's engines range is `>=x`; undefined for other ranges, which npm checks. */
function minimumNode(manifest: string): string | undefined {
  const { engines } = readJson(manifest) as { readonly engines?: { readonly node?: string } }
  return /^>= ?(\d+(?:\.\d+){0,2})$/.exec(engines?.node ?? '')?.[1]
}

/** Checks Node's version against the `engines` of Fw and of the application. */
export function checkNode(root: string, version = process.versions.node): Finding[] {
  const manifests = [join(ownFolder, 'package.json'), join(root, 'package.json')]
  const minimums = manifests.filter(existsSync).map(minimumNode)
  const unmet = minimums.find((minimum) => minimum !== undefined && isOlder(version, minimum))
  return unmet === undefined
    ? [ok(`Node ${version}`)]
    : [
        problem(
          `Node ${version} is too old: ${unmet} or newer is needed`,
          'Install Node 24 from https://nodejs.org; ./fw downloads it when an older Node is there.',
        ),
      ]
}

const readPackages = (file: string): Packages | undefined =>
  existsSync(file) ? (readJson(file) as { readonly packages?: Packages }).packages : undefined

/** Whether a package may be absent: an optional one always, a development one in production (`npm prune --omit=dev`). */
const mayBeAbsent = ({ optional, dev, devOptional }: Package, isProduction: boolean): boolean =>
  optional === true || (isProduction && (dev === true || devOptional === true))

/** Returns the paths of packages whose version or content differs. */
function differences(wanted: Packages, installed: Packages, isProduction: boolean): string[] {
  const names = new Set([...Object.keys(wanted), ...Object.keys(installed)])
  names.delete('')
  return [...names].filter((name) => {
    const locked = wanted[name]
    const actual = installed[name]
    if (actual === undefined) return locked === undefined || !mayBeAbsent(locked, isProduction)
    return (
      locked === undefined ||
      locked.version !== actual.version ||
      locked.integrity !== actual.integrity
    )
  })
}

export function checkPackages(root: string): Finding[] {
  const wanted = readPackages(join(root, 'package-lock.json'))
  const installed = readPackages(join(root, 'node_modules/.package-lock.json'))
  if (wanted === undefined)
    return [
      warning(
        'package-lock.json is missing: another machine may get other versions',
        'npm install, and commit package-lock.json',
      ),
    ]
  if (installed === undefined) return [problem('the packages are not installed', 'npm ci')]
  const isProduction = FwEnv.of(process.env).isProduction()
  const different = differences(wanted, installed, isProduction).map((name) =>
    name.replace(/^node_modules\//, ''),
  )
  if (different.length === 0) return [ok('the packages match package-lock.json')]
  const shown = different.slice(0, 3).join(', ')
  const more = different.length > 3 ? ` and ${different.length - 3} more` : ''
  return [
    problem(`the installed packages differ from package-lock.json: ${shown}${more}`, 'npm ci'),
  ]
}

function resolveFwjs(root: string): string | undefined {
  try {
    const entry = createRequire(join(root, 'package.json')).resolve('fwjs/package.json')
    return realpathSync(dirname(entry))
  } catch {
    return undefined
  }
}

/** Checks that the application imports this copy of `fwjs`, because the classes of a second copy would be different classes. */
export function checkCopies(root: string): Finding[] {
  const used = resolveFwjs(root)
  if (used === undefined)
    return [
      problem(
        'fwjs is not installed in the application',
        'Run npm install. If package.json lacks the line "fwjs", restore the one that fw new has written.',
      ),
    ]
  if (used !== realpathSync(ownFolder))
    return [
      problem(
        `this command belongs to ${resolve(ownFolder)}, the application imports ${used}`,
        "Run the application's own: ./fw doctor",
      ),
    ]
  const installed = readPackages(join(root, 'node_modules/.package-lock.json')) ?? {}
  const copies = Object.keys(installed).filter((name) => /(?:^|\/)node_modules\/fwjs$/.test(name))
  return copies.length > 1
    ? [problem(`fwjs is installed ${copies.length} times: ${copies.join(', ')}`, 'npm dedupe')]
    : [ok('one fwjs')]
}

function formatProblem({ origin, text }: ConfigProblem, root: string): string {
  if (origin === undefined) return text
  return `${formatOrigin({ ...origin, file: relative(root, origin.file) || origin.file })} ${text}`
}

const remedyFor = (text: string): string =>
  findSettingRemedy(text) ?? 'Correct the value, or the variable that it comes from.'

/** Checks the settings of the current environment, and the message files. */
export function checkSettings(root: string): Finding[] {
  const env = FwEnv.of(process.env)
  const problems = [
    ...findProblems(() => void readSettings(loadConfiguration({ root }), applicationSettings)),
    ...findProblems(() => void generateKeys(root)),
  ]
  const texts = [...new Set(problems.map((one) => formatProblem(one, root)))]
  if (texts.length > 0) return texts.map((text) => problem(text, remedyFor(text)))
  const risks = findRiskySettings(readSettings(loadConfiguration({ root }), applicationSettings))
  return [
    ok(`the configuration of ${env.name} is valid`),
    ...risks.map((text) => warning(text, remedyFor(text))),
  ]
}

/** Counts the missing, untranslated and unused messages of each language. */
export function checkMessages(root: string): Finding[] {
  let reports: readonly MessageReport[] = []
  const problems = findProblems(() => {
    reports = reportMessages(root)
    return undefined
  })
  // Return no finding for invalid files, because `checkSettings` reports them.
  if (problems.length > 0) return []
  return reports.map(({ file, locale, missing, untranslated, unused }) => {
    const counts = Object.entries({ missing, untranslated, unused })
      .filter(([, keys]) => keys.length > 0)
      .map(([kind, keys]) => `${keys.length} ${kind}`)
    const text = `the messages in ${locale}: ${counts.join(', ') || 'complete'}`
    if (missing.length === 0 && untranslated.length === 0) return ok(text)
    return warning(text, `Translate them in ${file}; fw check lists them.`)
  })
}

/** Checks the settings for production. Only warns, because the production server may set variables that are missing here. */
export function checkProduction(root: string): Finding[] {
  // In production, `checkSettings` already reports the same findings.
  if (FwEnv.of(process.env).isProduction()) return []
  let risks: readonly string[] = []
  const problems = findProblems(() => {
    const configuration = previewConfiguration({ root, env: 'production' })
    risks = findRiskySettings(readSettings(configuration, applicationSettings))
    return undefined
  })
  if (problems.length === 0)
    return [
      ok('production has its secret and its hosts'),
      ...risks.map((text) => warning(`production: ${text}`, remedyFor(text))),
    ]
  return problems.map((one) => {
    const text = formatProblem(one, root)
    return warning(`production would not start: ${text}`, remedyFor(text))
  })
}

/** Warns if no trusted proxies are configured, because nearly every production server is behind a proxy. */
export function checkProxies(root: string): Finding[] {
  const configuration = previewConfiguration({ root })
  const { server } = readSettings(configuration, applicationSettings)
  if (server.trustedProxies !== undefined && server.trustedProxies.length > 0)
    return [ok('the addresses of proxies are configured')]
  return [
    warning(
      'no proxy is trusted: behind one, every client has its address, and pages seem to be sent over http',
      'Give the addresses of the proxies as server.trustedProxies, if there are any.',
    ),
  ]
}

/** Reports whether cookies are `Secure`: then forms and logins fail over plain http. */
export function checkCookies(root: string): Finding[] {
  let isSecure = false
  const env = FwEnv.of(process.env)
  const problems = findProblems(() => {
    isSecure = hasSecureCookies(
      readSettings(previewConfiguration({ root }), applicationSettings),
      env,
    )
    return undefined
  })
  // Return no finding for invalid settings, because `checkSettings` reports them.
  if (problems.length > 0) return []
  return [
    ok(
      isSecure
        ? 'cookies are Secure: serve pages over https, because forms and logins fail over http'
        : `cookies of ${env.name} are not Secure, so that pages over http work`,
    ),
  ]
}

/**
 * Starts the application, with the production settings that `doctor` has chosen. Warns if its sessions are in the memory of one
 * process.
 */
export async function checkSessions(root: string): Promise<Finding[]> {
  const read = () => void readSettings(loadConfiguration({ root }), applicationSettings)
  // Return no finding for invalid settings, because `checkSettings` reports them.
  if (findProblems(read).length > 0) return []
  let application: Application
  try {
    application = await inspectApplication(root)
  } catch (error) {
    return [problem(`the application does not start: ${(error as Error).message}`)]
  }
  try {
    const { routes, sessions } = application
    if (!routes.some(({ mounted }) => usesSession(mounted.controllerClass)))
      return [ok('no route uses a session')]
    if (!(sessions.store instanceof MemoryStore))
      return [ok(`sessions are in ${sessions.store.constructor.name}`)]
    return [
      warning(
        'sessions are in the memory of one process: others cannot read them, and a restart ends them',
        'Mount new FwSessionInitializer() in initFwApp: docs/sessions.md names the stores.',
      ),
    ]
  } finally {
    await application.close()
  }
}

/** Checks the types of code and templates, like `fw check`. */
export async function checkTypes(root: string): Promise<Finding[]> {
  try {
    const { diagnostics, templates } = await checkApplication(root)
    return diagnostics.length === 0
      ? [ok(`code and ${templates} templates are correct`)]
      : [problem(`${diagnostics.length} mistakes in code or templates`, 'fw check shows them')]
  } catch (error) {
    if (!(error instanceof FwError) || error.code !== 'view.check-failed') throw error
    // A production image contains no compiler; `fw build` has already checked the types.
    return FwEnv.of(process.env).isProduction()
      ? [ok('fw build checks code and templates: TypeScript is not installed here')]
      : [warning('code and templates were not checked: TypeScript is not installed', 'npm install')]
  }
}

const git = (root: string, ...args: readonly string[]) =>
  spawnSync('git', args, { cwd: root, encoding: 'utf8' })

/** The patterns that .gitignore needs, each with an example path that git must ignore. */
const ignored = [
  ['.env', '.env', problem],
  ['.env*.local', '.env.local', problem],
  ['.env*.local', '.env.development.local', problem],
  ['db/data/', 'db/data/', warning],
  ['.fw/', '.fw/', warning],
  ['node_modules/', 'node_modules/', warning],
] as const

/** Checks that git ignores secrets, data and generated files. */
export function checkGit(root: string): Finding[] {
  if (git(root, 'rev-parse', '--is-inside-work-tree').status !== 0)
    return [ok('the folder is in no git repository')]
  const found = ignored
    .filter(([, path]) => git(root, 'check-ignore', '--quiet', '--no-index', path).status !== 0)
    .map(([pattern, path, report]) =>
      report(`git does not ignore ${path}`, `echo '${pattern}' >> .gitignore`),
    )
  const committed = git(root, 'ls-files', '-z', '--', '.env', '.env*.local').stdout.split('\0')
  for (const file of committed.filter((name) => name !== ''))
    found.push(
      problem(`${file} is committed`, `git rm --cached ${file}, and change the secrets in it`),
    )
  return found.length > 0 ? found : [ok('git ignores .env, data and generated files')]
}

const mebibyte = 1024 ** 2
const enoughSpace = 1024 * mebibyte
const minimumSpace = 100 * mebibyte

export async function checkDisk(root: string): Promise<Finding[]> {
  const { bavail, bsize } = await statfs(root)
  const free = bavail * bsize
  const text = `${Math.round(free / mebibyte).toLocaleString('en')} MiB of disk are free`
  if (free >= enoughSpace) return [ok(text)]
  const report = free < minimumSpace ? problem : warning
  return [report(text, 'Make room: databases and uploads need it.')]
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

export async function checkPort(port = listenPort(undefined)): Promise<Finding[]> {
  if (await isFree(port)) return [ok(`port ${port} is free`)]
  if (FwEnv.of(process.env).isProduction())
    return [ok(`port ${port} is in use, as it is while the application runs`)]
  const remedy = `Stop the process that uses it, or take another port: fw run --port ${port + 1}`
  return [warning(`port ${port} is in use`, remedy)]
}
