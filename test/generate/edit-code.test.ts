/** Edits of files that people write: names are added and removed, and everything else stays the same. */
import { parseSync } from 'oxc-parser'
import { describe, expect, it } from 'vitest'
import {
  addImports,
  addMounts,
  addToObject,
  removeFromObject,
  removeImport,
  removeMount,
} from '../../src/tools/generate/edit-code.ts'

const add = (text: string) => addToObject(text, 'controllers', ['orders'])
const addImport = (text: string) => addImports(text, new Map([['orders', './o.ts']]))
const remove = (text: string) => removeFromObject(text, 'controllers', 'orders')
const parses = (text: string) =>
  expect(parseSync('a.ts', text).errors.map(({ message }) => message)).toEqual([])

describe('the object of controllers', () => {
  const shapes: readonly (readonly [before: string, after: string])[] = [
    ['export const controllers = {}', 'export const controllers = { orders }'],
    ['export const controllers = { root }', 'export const controllers = { root, orders }'],
    ['export const controllers = { root, }', 'export const controllers = { root, orders }'],
    [
      'export const controllers = {\n  root,\n}',
      'export const controllers = {\n  root,\n  orders,\n}',
    ],
    [
      'export const controllers = {\n  root\n}',
      'export const controllers = {\n  root,\n  orders,\n}',
    ],
    [
      'export const controllers = {\n\troot: mine, // stays } here\n\t// and here\n};',
      'export const controllers = {\n\troot: mine, // stays } here\n\torders,\n\t// and here\n};',
    ],
    [
      'export const controllers = {\r\n  root,\r\n}\r\n',
      'export const controllers = {\r\n  root,\r\n  orders,\r\n}\r\n',
    ],
    [
      'export const controllers = { root: at(`${{ a: "}" }}`, /[}/]/), b }',
      'export const controllers = { root: at(`${{ a: "}" }}`, /[}/]/), b, orders }',
    ],
    [
      'export const controllers: Readonly<Record<string, unknown>> = { root } as const',
      'export const controllers: Readonly<Record<string, unknown>> = { root, orders } as const',
    ],
    [
      '// const controllers = { old }\nexport const controllers = { root } // orders come soon',
      '// const controllers = { old }\nexport const controllers = { root, orders } // orders come soon',
    ],
    ['export const controllers = { orders, root }', 'export const controllers = { orders, root }'],
  ]
  it.each(shapes)('%j', (before, after) => {
    parses(before)
    expect(add(before)).toBe(after)
    parses(after)
    expect(add(after)).toBe(after)
  })

  it('is broken into lines if its line becomes too long', () => {
    const names = Array.from({ length: 12 }, (_, at) => `name${at}s`)
    const text = add(`export const controllers = { ${names.join(', ')} }\n`)!
    expect(text).toBe(
      `export const controllers = {\n${[...names, 'orders'].map((name) => `  ${name},\n`).join('')}}\n`,
    )
  })

  it.each([
    ['{ root, orders }', '{ root }'],
    ['{ orders, root }', '{ root }'],
    ['{ a, orders, root }', '{ a, root }'],
    ['{\n  a,\n  orders,\n  root,\n}', '{\n  a,\n  root,\n}'],
    ['{\n  a,\n  orders, // mine\n}', '{\n  a, // mine\n}'],
    ['{ reorders, ordersOf }', '{ reorders, ordersOf }'],
  ])('%j without it is %j', (before, after) => {
    const removed = remove(`const controllers = ${before}`)!
    expect(removed.replace(/\s+/g, ' ')).toBe(`const controllers = ${after}`.replace(/\s+/g, ' '))
    parses(removed)
  })

  it('is not edited if it is not an object literal', () => {
    expect(add('export const controllers = gather(root)')).toBeUndefined()
    expect(add('export const others = { root }')).toBeUndefined()
  })
})

describe('imports', () => {
  it.each([
    [
      "import { a } from './a.ts'\n\nconst x = 1\n",
      "import { a } from './a.ts'\nimport { orders } from './o.ts'\n\nconst x = 1\n",
    ],
    [
      'import {\n  a,\n  b,\n} from "./a.ts";\nconst x = 1;\n',
      'import {\n  a,\n  b,\n} from "./a.ts";\nimport { orders } from "./o.ts";\nconst x = 1;\n',
    ],
    ['/** Page. */\nconst x = 1\n', "/** Page. */\nimport { orders } from './o.ts'\nconst x = 1\n"],
    ["import './side.ts'", "import './side.ts'\nimport { orders } from './o.ts'\n"],
    [
      "const text = `\nimport { a } from 'x'\n`\n",
      "import { orders } from './o.ts'\nconst text = `\nimport { a } from 'x'\n`\n",
    ],
  ])('%j', (before, after) => {
    expect(addImport(before)).toBe(after)
    expect(addImport(after)).toBe(after)
    parses(after)
    const bare = removeImport(after, 'orders')
    expect(bare.trimEnd()).toBe(before.trimEnd())
  })
})

describe('mounting', () => {
  const boot = (body: string) =>
    `class Bootstrap extends FwLifeCycle {\n  override async initFwApp(ctx: ServletContext): Promise<void> {${body}}\n}\n`
  it.each([
    [
      '\n    controllers.root.mount(ctx)\n    await warm()\n  ',
      '\n    controllers.root.mount(ctx)\n    controllers.orders.mount(ctx)\n    await warm()\n  ',
    ],
    [
      '\n    controllers.root.mount(ctx, "/x(") // first\n    // controllers.old.mount(ctx)\n  ',
      '\n    controllers.root.mount(ctx, "/x(") // first\n    controllers.orders.mount(ctx)\n    // controllers.old.mount(ctx)\n  ',
    ],
    [
      '\n    controllers.root.mount(ctx);\n  ',
      '\n    controllers.root.mount(ctx);\n    controllers.orders.mount(ctx);\n  ',
    ],
    ['\n    await warm()\n  ', '\n    await warm()\n    controllers.orders.mount(ctx)\n  '],
  ])('%j', (before, after) => {
    expect(addMounts(boot(before), ['orders'])).toBe(boot(after))
    expect(addMounts(boot(after), ['orders'])).toBe(boot(after))
    expect(removeMount(boot(after), 'orders')).toBe(boot(before))
    parses(boot(after))
  })

  it('is added to an empty method', () => {
    const text = addMounts(boot(''), ['orders'])!
    expect(text).toContain('controllers.orders.mount(ctx)')
    parses(text)
  })

  it('passes the parameter of the method', () => {
    expect(addMounts('class B { initFwApp(web) {\n  }\n}', ['a'])).toContain(
      'controllers.a.mount(web)',
    )
  })

  it('is not edited without the method', () => {
    expect(addMounts('export const boot = 1', ['orders'])).toBeUndefined()
  })
})

it('several names are added as one after the other', () => {
  const names = Array.from({ length: 20 }, (_, at) => `name${at}s`)
  const paths = new Map(names.map((name) => [name, `./${name}.ts`]))
  const one = (name: string): string[] => [name]
  for (const text of ['{}', '{ root }', '{\n  root,\n}', '{\n  // none\n}']) {
    const code = `export const controllers = ${text}\n`
    const added = addToObject(code, 'controllers', names)
    const each = names.reduce((all, name) => addToObject(all, 'controllers', one(name))!, code)
    expect(added).toBe(each)
    parses(added!)
  }
  const file = "import { a } from './a.ts'\n"
  expect(addImports(file, paths)).toBe(
    [...paths].reduce((all, path) => addImports(all, new Map([path]))!, file),
  )
  for (const body of ['', '\n    controllers.root.mount(ctx)\n  ']) {
    const code = `class B { initFwApp(ctx) {${body}} }\n`
    expect(addMounts(code, names)).toBe(
      names.reduce((all, name) => addMounts(all, one(name))!, code),
    )
  }
})

it('braces in strings, templates, comments and regular expressions are no code', () => {
  const code =
    "const a = '}' + `x${b ? `{${c}` : \"'\"}y` /* { */ // }\nconst r = /[/}]\\/}/g.test(a) / 2 / 3\n"
  for (const quoted of ['', "'const controllers = { b }'\n", '`const controllers = { b }`\n']) {
    const text = `${code}${quoted}const controllers = { root }\n{ ${code} }\n`
    const added = add(text)!
    expect(added).toBe(text.replace('{ root }', '{ root, orders }'))
    parses(added)
    expect(remove(added)).toBe(text)
  }
})
