/** The folders of templates and of generated modules. */
import { join, resolve } from 'node:path'

/** The settings of the view compiler for an application. Only `root` is required. */
export interface ViewProject {
  /** The folder that contains package.json. */
  readonly root: string
  /** The public folder that contains `WEB-INF`, relative to `root`; default `src/main/webapp`. */
  readonly webapp?: string
  /** The folder of generated modules, relative to `root`; default `.fw`. */
  readonly generated?: string
  readonly modules?: Partial<TemplateModules>
}

/** The modules that generated code imports unless a project sets others. */
export const defaultModules = {
  /** The module of the interface `Views`, which the registry extends. */
  view: 'fwjs/view',
  /** The module of the escapers. */
  compiled: 'fwjs/compiled',
  /** The module of the class `Fw`, the type of the view helper `s`. */
  helper: 'fwjs',
  /** The module that exports `controllers`, which templates call `routes`. */
  controllers: '#controller/controllers',
}

/** The modules that generated code imports. */
export type TemplateModules = Readonly<typeof defaultModules>

/** The absolute folders of a project, and its modules with the defaults. */
export interface ProjectPaths {
  readonly root: string
  readonly webInf: string
  readonly generated: string
  readonly modules: TemplateModules
}

/** Resolves the folders of a project. */
export function projectPaths(project: ViewProject): ProjectPaths {
  const root = resolve(project.root)
  return {
    root,
    webInf: join(resolve(root, project.webapp ?? 'src/main/webapp'), 'WEB-INF'),
    generated: resolve(root, project.generated ?? '.fw'),
    modules: { ...defaultModules, ...project.modules },
  }
}
