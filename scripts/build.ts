/**
 * Builds the package: writes the type declarations, and the code in bundles without comments. Run `npm run build [--
 * FOLDER]`; the default folder is dist/.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { entryPoints } from './entry-points.ts'

const root = join(import.meta.dirname, '..')
const target = resolve(process.argv[2] ?? join(root, 'dist'))
/** The entry points, the programs that Fw starts as separate processes, and code that it loads on first use. */
const entries = [
  ...entryPoints,
  'tools/cli/main',
  'tools/cli/serve-application',
  'tools/cli/serve-vite',
  'tools/cli/fill-compile-cache',
  'tools/cli/check-process',
  'tools/cli/test-preload',
  'runtime/db/kysely-parts',
]

/** Writes the declarations without checking types, which takes half the time: `npm run typecheck` checks them. */
function writeDeclarations(): void {
  const compiler = join(root, 'node_modules/.bin/tsc')
  const project = join(root, 'tsconfig.build.json')
  const { status } = spawnSync(compiler, ['--project', project, '--outDir', target, '--noCheck'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error('The declarations cannot be written (see the messages above).')
}

/** Removes the declarations that no public entry imports: a quarter of the files, which only enlarge the package. */
function removeUnusedDeclarations(): void {
  const used = new Set<string>()
  const follow = (file: string): void => {
    if (used.has(file)) return
    used.add(file)
    const imports = readFileSync(file, 'utf8').matchAll(
      /^(?:im|ex)port .*from '(\..*)\.ts'|import\("(\..*?)\.ts"\)/gm,
    )
    for (const [, path, inline] of imports) follow(join(dirname(file), `${path ?? inline}.d.ts`))
  }
  for (const entry of entryPoints) follow(join(target, `${entry}.d.ts`))
  for (const file of globSync(join(target, '**/*.d.ts'))) if (!used.has(file)) rmSync(file)
}

/** The name and, if `node_modules` is a link to another folder, the files of the package that the bundles contain. */
const bundledPackage = /^kysely$|[\\/]node_modules[\\/]kysely[\\/]/

/** Returns the license of a package whose code a bundle contains, as a comment. */
const licenseOf = (name: string): string =>
  `/*!\n${name}\n\n${readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8')}*/`

/** Bundles modules that are loaded together into one file, so that a start reads tens of files instead of hundreds. */
async function writeCode(): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((name) => [name, `src/${name}.ts`])),
    external: (id) => !id.startsWith('.') && !id.startsWith(root) && !bundledPackage.test(id),
    platform: 'node',
    transform: { target: 'node22.18' },
  })
  await bundle.write({
    dir: target,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    comments: false,
    banner: ({ name }) => (name === 'runtime/db/kysely-parts' ? licenseOf('kysely') : ''),
  })
  await bundle.close()
}

rmSync(target, { recursive: true, force: true })
writeDeclarations()
removeUnusedDeclarations()
await writeCode()
