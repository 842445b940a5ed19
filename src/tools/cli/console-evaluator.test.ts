/** The console evaluates a script line by line. */
import { expect, onTestFinished, test } from 'vitest'
import { TypeScriptScript } from './console-evaluator.ts'

test('lines are TypeScript: they share names, await promises, and may continue a statement', async () => {
  const script = new TypeScriptScript({ given: 20 })
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'given'))
  const run = async (...lines: readonly string[]) => {
    let value: unknown
    for (const line of lines) value = await script.run(line)
    return value
  }
  expect(await run('const added: number = given + 1', 'added')).toBe(21)
  expect(await run('const twice = (n: number) => {', '  return n * 2', '}', 'twice(added)')).toBe(
    42,
  )
  expect(await run('{ a: 1, b: 2 }')).toEqual({ a: 1, b: 2 })
  expect(await run('const later = await Promise.resolve(3)', 'later')).toBe(3)
  expect(await run("Promise.resolve('settled')")).toBe('settled')
  expect(await run('', 'interface Row { id: number }', '`a', 'b`')).toBe('a\nb')
  expect(await run('({}) instanceof Object')).toBe(true)
  script.end()
})

test.each([
  ['nope.x', 'ReferenceError: nope is not defined'],
  ['await nope', 'ReferenceError: nope is not defined'],
  ["Promise.reject(new Error('late'))", 'Error: late'],
  ['1 +* 2', "SyntaxError: Unexpected token '*'"],
])('%s fails with its own error, without stack frames of the console', async (line, text) => {
  const failed = new TypeScriptScript({}).run(line)
  await expect(failed).rejects.toMatchObject({ code: 'cli.console-failed' })
  await expect(failed).rejects.toThrow(text)
  await expect(failed).rejects.not.toThrow(/node:|console-evaluator/)
})

test('input that ends within a statement is a failure', async () => {
  const script = new TypeScriptScript({})
  await script.run('const x = {')
  expect(() => script.end()).toThrow('The input ends within a statement:\nconst x = {')
})
