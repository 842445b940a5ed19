/** Makes a controller known to `controllers.ts` and `bootstrap.ts`, or takes it out of them. */
import {
  addImport,
  addMount,
  addToObject,
  removeFromObject,
  removeImport,
  removeMount,
  type Edit,
} from './edit-code.ts'
import type { Draft, Plan, Site } from './draft.ts'
import type { PlacedName } from './resource-names.ts'

const controllersFile = 'src/main/controller/controllers.ts'
const bootstrapFile = 'src/main/bootstrap.ts'

function edited(site: Site, path: string, edit: Edit, byHand: string): Draft | string {
  const now = site.read(path)
  const text = now === undefined ? undefined : edit(now)
  return text === undefined
    ? `${path} could not be edited: ${byHand}`
    : { path, text, kind: 'edit' }
}

function planOf(results: readonly (Draft | string)[]): Plan {
  return {
    drafts: results.filter((result) => typeof result !== 'string'),
    notes: results.filter((result) => typeof result === 'string'),
  }
}

/** The edits that mount a controller; a file that looks otherwise is left alone, with a note. */
export function mounted(site: Site, name: PlacedName): Plan {
  const key = name.camel
  const path = `./${name.file}-controller.ts`
  return planOf([
    edited(
      site,
      controllersFile,
      (text) => {
        const added = addToObject('controllers', key)(text)
        return added === undefined ? undefined : addImport(added, key, path)
      },
      `import { ${key} } from '${path}' there, and add ${key} to the object 'controllers'.`,
    ),
    edited(site, bootstrapFile, addMount(key), `call controllers.${key}.mount(ctx) in initFwApp.`),
  ])
}

/** The edits that take a controller out. */
export function unmounted(site: Site, name: PlacedName): Plan {
  const key = name.camel
  return planOf([
    edited(
      site,
      controllersFile,
      (text) => {
        const removed = removeFromObject('controllers', key)(text)
        return removed === undefined ? undefined : removeImport(removed, key)
      },
      `take ${key} out of it.`,
    ),
    edited(site, bootstrapFile, removeMount(key), `take controllers.${key} out of it.`),
  ])
}
