/** Generates `.fw/registry.ts`, which declares the names and values of all views and layouts for the type checker. */
import { templateName } from '../../runtime/view.ts'

/**
 * Returns the code of the registry. `files` are the paths of all templates below `WEB-INF/`. `controllerModule` is the
 * module that exports `controllers`; absent if the application has none.
 */
export function registryModule(
  files: readonly string[],
  viewModule: string,
  controllerModule?: string,
): string {
  const imports: string[] = []
  const views: string[] = []
  const layouts: string[] = []
  for (const file of files) {
    const found = templateName(file)
    if (found === undefined) continue
    // An `.ssp` template takes precedence over a `.jade` template of the same name.
    if (file.endsWith('.jade') && files.includes(file.replace(/jade$/, 'ssp'))) continue
    const type = `Values${imports.length}`
    imports.push(`import type { Values as ${type} } from ${JSON.stringify(`./${file}.ts`)}`)
    const list = found.kind === 'layout' ? layouts : views
    list.push(`    ${JSON.stringify(found.name)}: ${type}`)
  }
  return [
    '/** Generated from the templates. */',
    ...imports,
    ...(controllerModule === undefined
      ? []
      : [`import type { controllers } from ${JSON.stringify(controllerModule)}`]),
    `declare module ${JSON.stringify(viewModule)} {`,
    ...block('Views', views),
    ...block('Layouts', layouts),
    ...block(
      'ControllerRegistry',
      controllerModule === undefined ? [] : ['    readonly controllers: typeof controllers'],
    ),
    '}',
    'export {}',
    '',
  ].join('\n')
}

const block = (name: string, members: readonly string[]): string[] =>
  members.length === 0 ? [] : [`  interface ${name} {`, ...members, '  }']
