/** Looks at the application's folder and its machine: git, disk, port, views and types. */
import { spawnSync } from 'node:child_process'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { FwError } from '../base.ts'
import { checkApplication } from './check.ts'
import { findings, type Finding } from './finding.ts'
import { listenPort } from './listen-port.ts'

const git = (root: string, ...args: readonly string[]) =>
  spawnSync('git', args, { cwd: root, encoding: 'utf8' })

/** What must not be committed: patterns, and a path that each is for. */
const ignored: readonly (readonly [pattern: string, path: string, state: 'warning' | 'problem'])[] =
  [
    ['.env', '.env', 'problem'],
    ['.env*.local', '.env.local', 'problem'],
    ['.env*.local', '.env.development.local', 'problem'],
    ['db/data/', 'db/data/', 'warning'],
    ['.fw/', '.fw/', 'warning'],
    ['node_modules/', 'node_modules/', 'warning'],
  ]

/** Secrets, data and what is generated stay out of the repository. */
export function lookAtGit(root: string): Finding[] {
  const make = findings('git')
  if (git(root, 'rev-parse', '--is-inside-work-tree').status !== 0)
    return [make.ok('the folder is in no git repository')]
  const found = ignored
    .filter(([, path]) => git(root, 'check-ignore', '--quiet', '--no-index', path).status !== 0)
    .map(([pattern, path, state]) =>
      make[state](`git does not ignore ${path}`, `echo '${pattern}' >> .gitignore`),
    )
  const committed = git(root, 'ls-files', '-z', '--', '.env', '.env*.local').stdout.split('\0')
  for (const file of committed.filter((name) => name !== ''))
    found.push(
      make.problem(`${file} is committed`, `git rm --cached ${file}, and change the secrets in it`),
    )
  return found.length > 0 ? found : [make.ok('git ignores .env, data and generated files')]
}

const mebibyte = 1024 ** 2
const enough = 1024 * mebibyte
const atLeast = 100 * mebibyte

/** Free space where the application writes. */
export async function lookAtDisk(root: string): Promise<Finding[]> {
  const { ok, warning, problem } = findings('disk')
  const { bavail, bsize } = await statfs(root)
  const free = bavail * bsize
  const text = `${Math.round(free / mebibyte).toLocaleString('en')} MiB of disk are free`
  if (free >= enough) return [ok(text)]
  return [(free < atLeast ? problem : warning)(text, 'Make room: databases and uploads need it.')]
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

/** The port that `fw run` would take. */
export async function lookAtPort(port = listenPort(undefined)): Promise<Finding[]> {
  const { ok, warning } = findings('port')
  return (await isFree(port))
    ? [ok(`port ${port} is free`)]
    : [
        warning(
          `port ${port} is in use`,
          `Stop what has it, or take another: fw run --port ${port + 1}`,
        ),
      ]
}

/** Types of code and templates, as `fw check` has them. */
export async function lookAtTypes(root: string): Promise<Finding[]> {
  const { ok, warning, problem } = findings('types')
  try {
    const { diagnostics, templates } = await checkApplication(root)
    return diagnostics.length === 0
      ? [ok(`code and ${templates} templates are right`)]
      : [problem(`${diagnostics.length} mistakes in code or templates`, 'fw check shows them')]
  } catch (error) {
    // Production has no compiler.
    if (error instanceof FwError && error.code === 'view.check-failed')
      return [
        warning('code and templates were not checked: there is no TypeScript here', 'npm install'),
      ]
    throw error
  }
}
