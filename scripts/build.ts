/** Builds the package: type declarations, and the code bundled without comments: `npm run build [-- FOLDER]`, by default into dist/. */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '..')
const target = resolve(process.argv[2] ?? join(root, 'dist'))
/** What `package.json` exports, and programs that run in processes of their own. */
const entries = [
  'index',
  'server',
  'testing',
  'model',
  'db',
  'session',
  'view',
  'http',
  'client',
  'compiled',
  'tools/cli/main',
  'tools/cli/serve-application',
  'tools/cli/serve-vite',
  'tools/cli/fill-compile-cache',
  'tools/cli/check-process',
]

function writeDeclarations(): void {
  const compiler = join(root, 'node_modules/.bin/tsc')
  const project = join(root, 'tsconfig.build.json')
  const { status } = spawnSync(compiler, ['--project', project, '--outDir', target], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error('The sources do not compile (see the messages above).')
}

/** One file for each group of modules that are loaded together: a start reads tens of files instead of hundreds. */
async function writeCode(): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((name) => [name, `src/${name}.ts`])),
    external: (id) => !id.startsWith('.') && !id.startsWith(root),
    platform: 'node',
    transform: { target: 'node22.18' },
  })
  await bundle.write({
    dir: target,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    comments: false,
  })
  await bundle.close()
}

rmSync(target, { recursive: true, force: true })
writeDeclarations()
await writeCode()
