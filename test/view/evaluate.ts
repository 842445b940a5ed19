/** Compiles a template and runs it in this process, without writing its module to a file. */
import { stripTypeScriptTypes } from 'node:module'
import * as view from '../../src/runtime/view.ts'
import { compileTemplate } from '../../src/templates/emit.ts'
import { parse, proveEscaping } from '../../src/templates/escaping.ts'

export interface Render {
  (values: Readonly<Record<string, unknown>>): string
  /** True if an expression prints the name of an attribute. */
  readonly namesAttributes: boolean
}

const imports = /import \{([^}]*)\} from 'fwjs\/compiled';/g
const helper = { cspNonce: 'N' }

/**
 * Compiles the template and proves its escaping.
 * @throws TemplateError if the compiler refuses the template
 */
export function evaluate(template: string, file = 'views/t.html.ssp'): Render {
  proveEscaping(parse(file, template))
  const code = stripTypeScriptTypes(compileTemplate(file, template).code)
    .replace(
      imports,
      (_all, names: string) => `const {${names.replaceAll(' as ', ': ')}} = __view;`,
    )
    .replace(/export \{[^}]*\};/g, '')
    .replaceAll(/ export (?=(?:async )?function render)/g, ' ')
  // oxlint-disable-next-line typescript/no-implied-eval, no-new-func -- the code is what the compiler under test wrote
  const render = new Function('__view', `${code}\nreturn render`)(view) as (
    values: object,
    s: object,
    page: object,
  ) => string
  return Object.assign((values: Readonly<Record<string, unknown>>) => render(values, helper, {}), {
    namesAttributes: code.includes('__attributeName('),
  })
}
