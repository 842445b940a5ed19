/** Plans the edits of `controllers.ts` and `bootstrap.ts` that mount or unmount controllers. */
import {
  addImports,
  addMounts,
  addToObject,
  removeFromObject,
  removeImport,
  removeMount,
} from './edit-code.ts'
import { planEdit, type Direction, type Plan, type Project } from './project.ts'
import type { QualifiedName } from './resource-names.ts'

const controllersFile = 'src/main/controller/controllers.ts'
const bootstrapFile = 'src/main/bootstrap.ts'

/** Matches a loop or a call of `forEach` that mounts each controller. */
const mountsAll =
  /(?:\bof\s+Object\.values\(controllers\)\s*\)|\bObject\.values\(controllers\)\s*\.forEach\(\s*\(?\s*\w+\s*\)?\s*=>)\s*\{?\s*\w+\.mount\(/

/**
 * Plans the edits, which read each file once for all controllers. A file that cannot be edited stays unchanged, and notes
 * contain the manual instructions.
 */
export function planMount(
  project: Project,
  controllers: readonly QualifiedName[],
  direction: Direction,
): Plan {
  const names = controllers.map(({ camel }) => camel)
  const paths = new Map(controllers.map(({ camel, file }) => [camel, `./${file}-controller.ts`]))
  const isAdding = direction === 'add'
  const inControllers = planEdit(project, controllersFile, (text) => {
    if (!isAdding) return removeAll(text, names)
    const edited = addToObject(text, 'controllers', names)
    return edited && addImports(edited, paths)
  })
  const inBootstrap = planEdit(project, bootstrapFile, (text) => {
    if (!isAdding) return names.reduce(removeMount, text)
    return mountsAll.test(text) ? text : addMounts(text, names)
  })
  const failed = (
    edited: Plan['files'],
    path: string,
    instruct: (name: string) => string,
  ): readonly string[] =>
    edited.length > 0 ? [] : names.map((name) => `${path} could not be edited: ${instruct(name)}`)
  return {
    files: [...inControllers, ...inBootstrap],
    notes: [
      ...failed(inControllers, controllersFile, (name) =>
        isAdding
          ? `import { ${name} } from '${paths.get(name)}' there, and add ${name} to the object 'controllers'.`
          : `remove ${name} from it.`,
      ),
      ...failed(inBootstrap, bootstrapFile, (name) =>
        isAdding
          ? `call controllers.${name}.mount(ctx) in initFwApp.`
          : `remove controllers.${name} from it.`,
      ),
    ],
  }
}

const removeAll = (text: string, names: readonly string[]): string | undefined =>
  names.reduce<string | undefined>((edited, name) => {
    const removed = edited && removeFromObject(edited, 'controllers', name)
    return removed && removeImport(removed, name)
  }, text)
