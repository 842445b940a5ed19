/** Plans a front-end build with Vite: its configuration, an entry file, and the entry's tags in the layout. */
import { FwError } from '../../runtime/base.ts'
import { fillTemplate } from './fill-template.ts'
import type { Direction, GeneratedFile, Plan, Project } from './project.ts'

const versions = { vite: '8.3.8', tailwindcss: '4.3.5', '@tailwindcss/vite': '4.3.5' }
const entry = 'src/frontend/application.ts'
const layout = 'src/main/webapp/WEB-INF/layouts/default.ssp'
const tags = `\${s.assetTags('${entry}')}\n`
const ignored = 'src/main/webapp/assets/built/\nsrc/main/webapp/assets/.vite/\n'

/**
 * Adds `text` to a file before the text `before`, or by default at the end; or removes it. Returns no file if nothing changes.
 */
function editText(
  project: Project,
  path: string,
  text: string,
  direction: Direction,
  before?: string,
): readonly GeneratedFile[] {
  const current = project.read(path)
  if (current === undefined || current.includes(text) === (direction === 'add')) return []
  if (direction === 'remove') return [{ path, text: current.replace(text, ''), kind: 'edit' }]
  if (before === undefined) {
    const lines = current === '' || current.endsWith('\n') ? current : `${current}\n`
    return [{ path, text: lines + text, kind: 'edit' }]
  }
  const at = current.indexOf(before)
  return at < 0
    ? []
    : [{ path, text: current.slice(0, at) + text + current.slice(at), kind: 'edit' }]
}

interface PackageJson {
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** Adds the development dependencies to `package.json` in alphabetical order, or removes them. */
function editPackages(
  project: Project,
  names: readonly (keyof typeof versions)[],
  direction: Direction,
): readonly GeneratedFile[] {
  const path = 'package.json'
  const manifest = JSON.parse(project.read(path) ?? '{}') as PackageJson
  const kept = Object.entries(manifest.devDependencies ?? {}).filter(
    ([name]) => !Object.hasOwn(versions, name),
  )
  const added = direction === 'add' ? names.map((name) => [name, versions[name]] as const) : []
  const sorted = [...kept, ...added].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const changed = { ...manifest, devDependencies: Object.fromEntries(sorted) }
  return [{ path, text: `${JSON.stringify(changed, null, 2)}\n`, kind: 'edit' }]
}

/**
 * Plans the files of a build with Vite.
 * @throws FwError `generate.arguments-invalid`
 */
export function vitePlan(
  project: Project,
  words: readonly string[],
  usage: string,
  direction: Direction,
): Plan {
  const [style] = words
  if (words.length > 1 || (style !== undefined && style !== 'tailwind'))
    throw new FwError('generate.arguments-invalid', usage)
  const usesTailwind = style === 'tailwind'
  const config = fillTemplate('vite/vite.config.ts', {
    import: usesTailwind ? "import tailwindcss from '@tailwindcss/vite'" : '',
    plugins: usesTailwind ? 'plugins: [tailwindcss()],' : '',
  })
  const css = fillTemplate('vite/application.css', {
    tailwind: usesTailwind ? "@import 'tailwindcss' source('../main/webapp/WEB-INF');\n" : '',
  })
  const hasLayout = project.read(layout)?.includes('</head>') === true
  return {
    files: [
      { path: 'vite.config.ts', text: config },
      { path: entry, text: fillTemplate('vite/application.ts', {}) },
      { path: entry.replace(/ts$/, 'css'), text: css },
      ...editPackages(
        project,
        usesTailwind ? ['vite', 'tailwindcss', '@tailwindcss/vite'] : ['vite'],
        direction,
      ),
      ...editText(project, layout, tags, direction, '</head>'),
      ...editText(project, '.gitignore', ignored, direction),
    ],
    notes: [
      'Run npm install: the development dependencies in package.json have changed.',
      ...(hasLayout || direction === 'remove'
        ? []
        : [`Write \${s.assetTags('${entry}')} in the head of your layout.`]),
    ],
  }
}
