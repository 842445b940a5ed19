/** Plans the edits of `controllers.ts` and `bootstrap.ts` that mount or unmount a controller. */
import {
  addImport,
  addMount,
  addToObject,
  removeFromObject,
  removeImport,
  removeMount,
} from './edit-code.ts'
import { planEdit, type Direction, type Plan, type Project } from './project.ts'
import type { QualifiedName } from './resource-names.ts'

const controllersFile = 'src/main/controller/controllers.ts'
const bootstrapFile = 'src/main/bootstrap.ts'

/** Plans the edits. A file that cannot be edited stays unchanged, and a note contains the manual instruction. */
export function planMount(
  project: Project,
  { camel, file }: QualifiedName,
  direction: Direction,
): Plan {
  const isAdding = direction === 'add'
  const path = `./${file}-controller.ts`
  const controllers = planEdit(project, controllersFile, (text) => {
    const edit = isAdding ? addToObject : removeFromObject
    const edited = edit(text, 'controllers', camel)
    return edited && (isAdding ? addImport(edited, camel, path) : removeImport(edited, camel))
  })
  const bootstrap = planEdit(project, bootstrapFile, (text) =>
    isAdding ? addMount(text, camel) : removeMount(text, camel),
  )
  const instructions = isAdding
    ? [
        `import { ${camel} } from '${path}' there, and add ${camel} to the object 'controllers'.`,
        `call controllers.${camel}.mount(ctx) in initFwApp.`,
      ]
    : [`remove ${camel} from it.`, `remove controllers.${camel} from it.`]
  const failed = (edited: Plan['files'], path: string, instruction: string): string[] =>
    edited.length > 0 ? [] : [`${path} could not be edited: ${instruction}`]
  return {
    files: [...controllers, ...bootstrap],
    notes: [
      ...failed(controllers, controllersFile, instructions[0]!),
      ...failed(bootstrap, bootstrapFile, instructions[1]!),
    ],
  }
}
