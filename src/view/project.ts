/** Where an application keeps its templates and what is generated from them. */
import { join, resolve } from 'node:path'

/** An application as the view compiler sees it; only `root` must be given. */
export interface ViewProject {
  /** The folder of package.json. */
  readonly root: string
  /** The public folder that holds `WEB-INF`, relative to `root`: `src/main/webapp` by default. */
  readonly webapp?: string
  /** The folder of generated modules, relative to `root`: `.fw` by default. */
  readonly generated?: string
  readonly modules?: Partial<TemplateModules>
}

/** The modules that generated code imports from. */
export interface TemplateModules {
  /** The escapers: `fwjs/view`. */
  readonly view: string
  /** The class `Fw` of the view helper `s`: `fwjs`. */
  readonly helper: string
  /** Exports `controllers`, which templates know as `routes`: `#controller/controllers`. */
  readonly controllers: string
}

/** Absolute folders of a project, and its modules with their defaults. */
export interface ProjectPaths {
  readonly root: string
  readonly webInf: string
  readonly generated: string
  readonly modules: TemplateModules
}

export const defaultModules: TemplateModules = {
  view: 'fwjs/view',
  helper: 'fwjs',
  controllers: '#controller/controllers',
}

export function projectPaths(project: ViewProject): ProjectPaths {
  const root = resolve(project.root)
  return {
    root,
    webInf: join(resolve(root, project.webapp ?? 'src/main/webapp'), 'WEB-INF'),
    generated: resolve(root, project.generated ?? '.fw'),
    modules: { ...defaultModules, ...project.modules },
  }
}
