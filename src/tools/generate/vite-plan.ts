/** Plans a front-end build with Vite: its configuration, an entry file, and the entry's tags in the layout. */
import { editPackages, installNote } from './edit-packages.ts'
import { fillFile } from './fill-template.ts'
import { editText, invalidArguments, planEdit, type Command, type Plan } from './project.ts'

const versions = { vite: '8.3.8', tailwindcss: '4.3.5', '@tailwindcss/vite': '4.3.5' }
const packages = Object.keys(versions)
const { vite } = versions
const entry = 'src/frontend/application.ts'
const layout = 'src/main/webapp/WEB-INF/layouts/default.ssp'
const tags = `\${s.assetTags('${entry}')}\n`
const ignored = 'src/main/webapp/assets/built/\nsrc/main/webapp/assets/.vite/\n'

/** Plans the files of a build with Vite. @throws FwError `generate.arguments-invalid` */
export function vitePlan({ project, words, usage, direction }: Command): Plan {
  const [style] = words
  if (words.length > 1 || (style !== undefined && style !== 'tailwind'))
    throw invalidArguments(usage)
  const usesTailwind = style === 'tailwind'
  const wanted = direction === 'remove' ? {} : usesTailwind ? versions : { vite }
  const hasLayout = project.read(layout)?.includes('</head>') === true
  return {
    files: [
      fillFile('vite.config.ts', 'vite/vite.config.ts', {
        import: usesTailwind ? "import tailwindcss from '@tailwindcss/vite'" : '',
        plugins: usesTailwind ? 'plugins: [tailwindcss()],' : '',
      }),
      fillFile(entry, 'vite/application.ts'),
      fillFile(entry.replace(/ts$/, 'css'), 'vite/application.css', {
        tailwind: usesTailwind ? "@import 'tailwindcss' source('../main/webapp/WEB-INF');\n" : '',
      }),
      ...editPackages(project, 'devDependencies', packages, wanted),
      ...planEdit(project, layout, (text) => editText(text, tags, direction, '</head>')),
      ...planEdit(project, '.gitignore', (text) => editText(text, ignored, direction)),
    ],
    notes: [
      installNote,
      ...(hasLayout || direction === 'remove'
        ? []
        : [`Write \${s.assetTags('${entry}')} in the head of your layout.`]),
    ],
  }
}
