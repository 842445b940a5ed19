/** Builds and packs the packages fwjs and create-fwjs for npm. Run `./fw package [FOLDER]`; the default folder is build/. */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const root = join(import.meta.dirname, '..')
const target = resolve(process.argv[2] ?? join(root, 'build'))
/** The folders that are packed. */
const staging = mkdtempSync(join(tmpdir(), 'fw-package-'))
process.on('exit', () => rmSync(staging, { recursive: true, force: true }))
const staged = join(staging, 'fwjs')

type Entry = string | Readonly<Record<string, string>>
interface Manifest {
  readonly files: readonly string[]
  readonly exports: Readonly<Record<string, Entry>>
  readonly [key: string]: unknown
}

/** The members of `package.json` that apply only to the repository and are not published. */
const privateMembers = new Set(['private', 'scripts', 'workspaces', 'devDependencies'])

function published(manifest: Manifest): Manifest {
  const outer = Object.entries(manifest).filter(([key]) => !privateMembers.has(key))
  const entries = Object.entries(manifest.exports).map(([path, entry]) => [
    path,
    withoutSource(entry),
  ])
  return { ...Object.fromEntries(outer), exports: Object.fromEntries(entries) } as Manifest
}

function withoutSource(entry: Entry): Entry {
  if (typeof entry === 'string') return entry
  return Object.fromEntries(
    Object.entries(entry).filter(([condition]) => condition !== 'fwjs-source'),
  )
}

function run(...args: string[]): void {
  const { status } = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed (see its message above)`)
}

/** Replaces each link to a file that the package does not contain with the link's text, and removes such pictures. */
function removeOutsideLinks(page: string): string {
  const text = readFileSync(page, 'utf8').replaceAll(/^!\[[^\]]*\]\([^)]*\)\n\n/gm, '')
  return text.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link, words, to) => {
    const [path = ''] = String(to).split('#')
    const isKept = path === '' || /^(https?|mailto):/.test(path)
    return isKept || existsSync(join(dirname(page), path)) ? link : words
  })
}

mkdirSync(target, { recursive: true })
run('run', '--silent', 'build', '--', join(staged, 'dist'))

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
writeFileSync(join(staged, 'package.json'), `${JSON.stringify(published(manifest), null, 2)}\n`)
for (const file of ['README.md', 'LICENSE', ...manifest.files])
  if (file !== 'dist' && existsSync(join(root, file)))
    cpSync(join(root, file), join(staged, file), { recursive: true })
for (const page of globSync(['*.md', 'docs/*.md'], { cwd: staged }))
  writeFileSync(join(staged, page), removeOutsideLinks(join(staged, page)))
run('pack', staged, '--pack-destination', target, '--loglevel=error')

const creator = join(staging, 'create-fwjs')
const { private: _inner, ...outer } = JSON.parse(
  readFileSync(join(root, 'create-fwjs/package.json'), 'utf8'),
) as Manifest
cpSync(join(root, 'create-fwjs'), creator, { recursive: true })
writeFileSync(
  join(creator, 'package.json'),
  `${JSON.stringify({ ...outer, dependencies: { fwjs: manifest['version'] } }, null, 2)}\n`,
)
cpSync(join(root, 'LICENSE'), join(creator, 'LICENSE'))
run('pack', creator, '--pack-destination', target, '--loglevel=error')
