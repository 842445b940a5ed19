/** Plans `src/test/default-user.ts`: the user whom generated tests log in, so that they pass where pages need a login. */
import { fillTemplate, sharedFile } from './fill-template.ts'
import { planEdit, type Direction, type GeneratedFile, type Project } from './project.ts'

const path = 'src/test/default-user.ts'
/** The template with which an application begins: without a user. */
const withoutUser = 'application/src/test/default-user.ts'
const withUser = 'authentication-account/default-user.ts'

/** The file for applications that do not have it. */
export const defaultUserFile = (): GeneratedFile => sharedFile(path, withoutUser)

/** Lets the generated tests log a user of the accounts in, unless the application has changed the file. */
export function editDefaultUser(project: Project, direction: Direction): readonly GeneratedFile[] {
  if (project.read(path) === undefined)
    return direction === 'add' ? [sharedFile(path, withUser)] : []
  const texts = [withoutUser, withUser].map((template) => fillTemplate(template, {}))
  const [from, to] = direction === 'add' ? texts : texts.toReversed()
  return planEdit(project, path, (text) => (text === from ? to : text))
}
