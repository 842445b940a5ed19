/** Generates the files that attachments need: the table, model, routes and form input that all resources share. */
import type { Field } from './field.ts'
import { fillTemplate } from './fill-template.ts'
import { planMount } from './plan-mount.ts'
import type { GeneratedFile, Plan, Project } from './project.ts'
import { Name, QualifiedName } from './resource-names.ts'

export const isAttachment = ({ type }: Field): boolean => type.input === 'attachment'

/** Returns the name of an attachment's form input and record member, such as `photo`. */
export const attachmentName = ({ label, name }: Field): string => (label ?? name).camel

const shared = (path: string, template: string): GeneratedFile => ({
  path,
  text: fillTemplate(`attachment/${template}`, {}),
  kind: 'shared',
})

/** Generates the table, the model and the factory of attachments. `migration` creates the migration's file from its SQL. */
export const attachmentModel = (migration: (text: string) => GeneratedFile): GeneratedFile[] => [
  { ...migration(fillTemplate('attachment/migration.sql', {})), kind: 'shared' },
  shared('src/main/model/attachment.ts', 'model.ts'),
  shared('src/test/factory/attachment.ts', 'factory.ts'),
]

const webapp = 'src/main/webapp'

/** Plans the routes that send attachments, and the input of forms. Empty if the application already has them. */
export function attachmentPages(project: Project): Plan {
  const controller = 'src/main/controller/attachments-controller.ts'
  if (project.read(controller) !== undefined) return { files: [], notes: [] }
  const mount = planMount(project, new QualifiedName([], new Name('attachments')), 'add')
  return {
    files: [
      shared(controller, 'controller.ts'),
      shared('src/test/controller/attachments-controller.test.ts', 'controller.test.ts'),
      shared(`${webapp}/WEB-INF/views/shared/_attachment.html.ssp`, '_attachment.html.ssp'),
      shared(`${webapp}/assets/js/attachment.js`, 'attachment.js'),
      shared(`${webapp}/assets/file.svg`, 'file.svg'),
      ...mount.files,
    ],
    notes: mount.notes,
  }
}
