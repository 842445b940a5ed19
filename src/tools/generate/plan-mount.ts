/** Plans the edits of `controllers.ts` and `bootstrap.ts` that mount or unmount a controller. */
import {
  addImport,
  addMount,
  addToObject,
  removeFromObject,
  removeImport,
  removeMount,
} from './edit-code.ts'
import type { Direction, GeneratedFile, Plan, Project } from './project.ts'
import type { QualifiedName } from './resource-names.ts'

interface Edit {
  readonly path: string
  /** Returns the edited text; `undefined` if the file has an unexpected structure. */
  readonly apply: (text: string) => string | undefined
  /** The manual instruction that is shown if the edit fails. */
  readonly manually: string
}

const controllersFile = 'src/main/controller/controllers.ts'
const bootstrapFile = 'src/main/bootstrap.ts'

function edits({ camel, file }: QualifiedName, direction: Direction): Edit[] {
  const path = `./${file}-controller.ts`
  if (direction === 'remove')
    return [
      {
        path: controllersFile,
        apply: (text) => {
          const removed = removeFromObject(text, 'controllers', camel)
          return removed && removeImport(removed, camel)
        },
        manually: `remove ${camel} from it.`,
      },
      {
        path: bootstrapFile,
        apply: (text) => removeMount(text, camel),
        manually: `remove controllers.${camel} from it.`,
      },
    ]
  return [
    {
      path: controllersFile,
      apply: (text) => {
        const added = addToObject(text, 'controllers', camel)
        return added && addImport(added, camel, path)
      },
      manually: `import { ${camel} } from '${path}' there, and add ${camel} to the object 'controllers'.`,
    },
    {
      path: bootstrapFile,
      apply: (text) => addMount(text, camel),
      manually: `call controllers.${camel}.mount(ctx) in initFwApp.`,
    },
  ]
}

/** Plans the edits. A file that cannot be edited stays unchanged, and its manual instruction becomes a note. */
export function planMount(project: Project, name: QualifiedName, direction: Direction): Plan {
  const files: GeneratedFile[] = []
  const notes: string[] = []
  for (const { path, apply, manually } of edits(name, direction)) {
    const current = project.read(path)
    const text = current === undefined ? undefined : apply(current)
    if (text === undefined) notes.push(`${path} could not be edited: ${manually}`)
    else files.push({ path, text, kind: 'edit' })
  }
  return { files, notes }
}
