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

/** The modules that generated code imports. */
export interface TemplateModules {
  /** The module of the interface `Views`, which the registry extends; default `fwjs/view`. */
  readonly view: string
  /** The module of the escapers; default `fwjs/compiled`. */
  readonly compiled: string
  /** The module of the class `Fw`, the type of the view helper `s`; default `fwjs`. */
  readonly helper: string
  /** The module that exports `controllers`, which templates call `routes`; default `#controller/controllers`. */
  readonly controllers: string
}

/** The absolute folders of a project, and its modules with the defaults. */
export interface ProjectPaths {
  readonly root: string
  readonly webInf: string
  readonly generated: string
  readonly modules: TemplateModules
}

/** The modules that generated code imports unless a project sets others. */
export const defaultModules: TemplateModules = {
  view: 'fwjs/view',
  compiled: 'fwjs/compiled',
  helper: 'fwjs',
  controllers: '#controller/controllers',
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
