/** Files that people wrote: a name goes in and out, everything else stays as it was. */
import { parseSync } from 'oxc-parser'
import { describe, expect, it } from 'vitest'
import {
  addImport,
  addMount,
  addToObject,
  removeFromObject,
  removeImport,
  removeMount,
} from '../../src/generate/edit-code.ts'
import { maskCode } from '../../src/generate/mask-code.ts'

const add = addToObject('controllers', 'orders')
const remove = removeFromObject('controllers', 'orders')
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

  it('breaks a line that gets too long', () => {
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

  it('is left alone where it is no object', () => {
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
    expect(addImport(before, 'orders', './o.ts')).toBe(after)
    expect(addImport(after, 'orders', './o.ts')).toBe(after)
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
    expect(addMount('orders')(boot(before))).toBe(boot(after))
    expect(addMount('orders')(boot(after))).toBe(boot(after))
    expect(removeMount('orders')(boot(after))).toBe(boot(before))
    parses(boot(after))
  })

  it('finds a body that is empty', () => {
    const text = addMount('orders')(boot(''))!
    expect(text).toContain('controllers.orders.mount(ctx)')
    parses(text)
  })

  it('calls the context as the method does', () => {
    expect(addMount('a')('class B { initFwApp(web) {\n  }\n}')).toContain(
      'controllers.a.mount(web)',
    )
  })

  it('is left alone where there is no such method', () => {
    expect(addMount('orders')('export const boot = 1')).toBeUndefined()
  })
})

it('a mask is as long as the code, line by line, and holds no text', () => {
  const code =
    "const a = '}' + `x${b ? `{${c}` : \"'\"}y` /* { */ // }\nconst r = /[/}]\\/}/g.test(a) / 2 / 3\n"
  const masked = maskCode(code)
  expect(masked).toHaveLength(code.length)
  expect(masked.replace(/\s+/g, ' ')).toBe(
    'const a = + const r = g.test(a) / 2 / 3 '.replace('r = g', 'r = g'),
  )
})
