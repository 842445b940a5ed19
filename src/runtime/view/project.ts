/** The folders of templates and of generated modules. */
import { join, resolve } from 'node:path'

/** The view compiler's settings for an application; only `root` is required. */
export interface ViewProject {
  /** The folder of package.json. */
  readonly root: string
  /** The public folder that contains `WEB-INF`, relative to `root`: `src/main/webapp` by default. */
  readonly webapp?: string
  /** The folder of generated modules, relative to `root`: `.fw` by default. */
  readonly generated?: string
  readonly modules?: Partial<TemplateModules>
}

/** The modules that generated code imports from. */
export interface TemplateModules {
  /** The interface `Views`, which the registry extends: `fwjs/view`. */
  readonly view: string
  /** The escapers: `fwjs/compiled`. */
  readonly compiled: string
  /** The class `Fw` of the view helper `s`: `fwjs`. */
  readonly helper: string
  /** Exports `controllers`, which is named `routes` in templates: `#controller/controllers`. */
  readonly controllers: string
}

/** Absolute folders of a project, and its modules with their defaults. */
export interface ProjectPaths {
  readonly root: string
  readonly webInf: string
  readonly generated: string
  readonly modules: TemplateModules
}

/** The modules that generated code imports from by default. */
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
