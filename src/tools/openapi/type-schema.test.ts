/** The schemas of TypeScript types, read from the sources of an application. */
import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/serve.ts'
import { SchemaSet } from './schema-set.ts'
import { openTypeProject } from './type-project.ts'
import { TypeSchemas } from './type-schema.ts'

/** The schema of the member `value` of the class `Holder` in this code. */
async function schemaOf(code: string) {
  const root = temporaryFolder({
    'tsconfig.json':
      '{ "compilerOptions": { "strict": true, "types": [] }, "files": ["holder.ts"] }',
    'holder.ts': code,
  })
  symlinkSync(resolve(import.meta.dirname, '../../../node_modules'), join(root, 'node_modules'))
  const project = (await openTypeProject(root, []))!
  onTestFinished(() => project.close())
  const holder = project.findClass('Holder', [])!
  const member = project.checker.getPropertyOfType(holder, 'value')!
  const type = project.checker.getTypeOfSymbol(member)!
  return new TypeSchemas(project, new SchemaSet()).convert(type)
}

test('a generic type that contains itself has an end', async () => {
  const code = `
    interface Tree<T> { item: T; left?: Tree<T>; middle?: Tree<T>; right?: Tree<T> }
    export class Holder { value!: Tree<string> }
  `
  expect(await schemaOf(code)).toEqual({
    type: 'object',
    properties: { item: { type: 'string' }, left: {}, middle: {}, right: {} },
    required: ['item'],
  })
})

test('JSON has the accessors of an object, and not those of a class, which its prototype has', async () => {
  const code = `
    class Price { net = 1; get gross() { return this.net * 2 } }
    export class Holder { value = { price: new Price(), get total() { return 3 } } }
  `
  expect(await schemaOf(code)).toEqual({
    type: 'object',
    properties: {
      price: { $ref: '#/components/schemas/Price' },
      total: { type: 'number' },
    },
    required: ['price', 'total'],
  })
})
