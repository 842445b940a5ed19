/** Attachments of records: the routes and the form input that all resources share. */
import type { Field } from './field.ts'
import { sharedFile } from './fill-template.ts'
import { planMount } from './plan-mount.ts'
import type { Plan, Project } from './project.ts'
import { Name, QualifiedName } from './resource-names.ts'

export const isAttachment = ({ type }: Field): boolean => type.input === 'attachment'

/** Returns the name of an attachment's form input and record member, such as `photo`. */
export const attachmentName = ({ label, name }: Field): string => (label ?? name).camel

/** Plans the routes that send attachments, and the input of forms. Empty if the application already has them. */
export function attachmentPages(project: Project): Plan {
  const controller = 'src/main/controller/attachments-controller.ts'
  if (project.read(controller) !== undefined) return { files: [], notes: [] }
  const { files, notes } = planMount(
    project,
    [new QualifiedName([], new Name('attachments'))],
    'add',
  )
  const webapp = 'src/main/webapp'
  const test = 'src/test/controller/attachments-controller.test.ts'
  return {
    files: [
      sharedFile(controller, 'attachment/controller.ts'),
      sharedFile(test, 'attachment/controller.test.ts'),
      sharedFile(
        `${webapp}/WEB-INF/views/shared/_attachment.html.ssp`,
        'attachment/_attachment.html.ssp',
      ),
      sharedFile(`${webapp}/assets/js/attachment.js`, 'attachment/attachment.js'),
      sharedFile(`${webapp}/assets/file.svg`, 'attachment/file.svg'),
      ...files,
    ],
    notes,
  }
}
