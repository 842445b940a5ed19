/** Creates a small application in a temporary folder, for tests of templates and views. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { registerDevelopmentLoader, type ViewProject } from '../../src/runtime/view.ts'
import { DevelopmentLoader } from '../../src/templates/compile.ts'

registerDevelopmentLoader((paths) => new DevelopmentLoader(paths))

const repository = resolve(import.meta.dirname, '../..')

export interface TestProject extends ViewProject {
  /** Writes a file; its path is relative to the project's root. */
  write(file: string, text: string): void
  /** Writes a template; its path is relative to `WEB-INF`. */
  template(file: string, text: string): void
  remove(): void
}

/** The type of the view helper, and below it the routes, that the project's templates use. */
const helper = `import type { SafeHtml } from 'fwjs/view'
export interface Route<P extends string> { readonly path: string; readonly params: readonly P[] }
export declare class Fw {
  readonly cspNonce: string
  readonly csrfHiddenInputTag: SafeHtml
  readonly errorMessages: readonly string[]
  readonly i18n: { get(key: string): string | undefined }
  url<P extends string>(route: Route<P>, ...params: [P] extends [never] ? [] : [Record<P, string | number>]): string
}
`
const controllers = `import type { Route } from '#app/helper'
const members = {
  indexUrl: { path: '/members', params: [] } as Route<never>,
  showUrl: { path: '/members/:id', params: ['id'] } as Route<'id'>,
}
export const controllers = { members }
`
const member = `export interface Member { readonly id: number; readonly name: string; readonly nickname?: string; readonly tags: readonly string[] }
export const upper = (text: string): string => text.toUpperCase()
`
const tsconfig = {
  compilerOptions: {
    target: 'esnext',
    module: 'nodenext',
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    noUnusedLocals: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ['node'],
    customConditions: ['fwjs-source'],
    lib: ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable'],
  },
  include: ['src', '.fw/**/*'],
}

export function testProject(templates: Readonly<Record<string, string>> = {}): TestProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'fw-view-')))
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  const template = (file: string, text: string): void =>
    write(`src/main/webapp/WEB-INF/${file}`, text)
  const imports = {
    '#app/*': './src/main/*.ts',
    '#model/*': './src/main/model/*.ts',
    '#controller/*': './src/main/controller/*.ts',
  }
  write('package.json', JSON.stringify({ name: 'app', type: 'module', imports }))
  write('tsconfig.json', JSON.stringify(tsconfig))
  write('src/main/helper.ts', helper)
  write('src/main/controller/controllers.ts', controllers)
  write('src/main/model/member.ts', member)
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(repository, join(root, 'node_modules/fwjs'))
  for (const name of ['@types', 'typescript'])
    symlinkSync(join(repository, 'node_modules', name), join(root, 'node_modules', name))
  for (const [file, text] of Object.entries(templates)) template(file, text)
  return {
    root,
    modules: { helper: '#app/helper' },
    write,
    template,
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
