/** Names that the framework reads itself: what the start refuses, the compiler (`fw check`) and the generators refuse too. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FwApiController, FwController, microFilter } from '../../src/runtime/controller.ts'
import { model } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { FwApiResource, FwResource, listParameters } from '../../src/runtime/resource.ts'
import { unnamedParameters } from '../../src/runtime/routing.ts'
import { contents, generate, newFolder, removeFolder } from '../generate/folder.ts'

const Thing = model('things', {
  id: ParamType.Long,
  name: ParamType.String,
  format: ParamType.Boolean,
  size: ParamType.Int,
  splat: ParamType.String,
  captures: ParamType.String,
})
const names = { model: Thing, resourcesName: 'things', resourceName: 'thing' } as const
const permitted = { createFormStrongParameters: { name: ParamType.String } } as const

test('a list parameter cannot be a filter', () => {
  const format = () =>
    // @ts-expect-error: `format` is a parameter of every list
    FwResource(FwController, { ...names, ...permitted, pageByKey: { filter: ['format'] } })
  expect(format).toThrow("cannot filter by 'format'")
  const size = () =>
    // @ts-expect-error: `size` too
    FwApiResource(FwApiController, { ...names, ...permitted, pageByKey: { filter: ['size'] } })
  expect(size).toThrow("cannot filter by 'size'")
  const sorted = {
    ...names,
    ...permitted,
    pageByKey: { sort: ['size'], filter: ['name'] },
  } as const
  expect(() => FwResource(FwController, sorted)).not.toThrow()
})

test('the values of a path without a name cannot be fields of a form', () => {
  const splat = () =>
    // @ts-expect-error: the parameter `splat` is the text of `*`
    FwResource(FwController, { ...names, createFormStrongParameters: { splat: ParamType.String } })
  expect(splat).toThrow("the field 'splat'")
  const captures = () =>
    FwApiResource(FwApiController, {
      ...names,
      ...permitted,
      // @ts-expect-error: the parameter `captures` is the text of groups
      updateFormStrongParameters: { captures: ParamType.String },
    })
  expect(captures).toThrow("the field 'captures'")
})

test('a parameter of a path cannot have the name of the values without a name', () => {
  // @ts-expect-error: the values of `*`
  expect(() => microFilter((r) => ({ x: r.get('/:splat', () => 'x') }))).toThrow('"splat"')
  // @ts-expect-error: the values of groups
  expect(() => microFilter((r) => ({ x: r.get('/a/:captures.json', {}, () => 'x') }))).toThrow(
    '"captures"',
  )
  expect(() =>
    microFilter((r) => ({ x: r.get('/:splatter/:recaptures', () => 'x') })),
  ).not.toThrow()
})

describe('the generators', () => {
  let root: string
  beforeEach(() => {
    root = newFolder()
  })
  afterEach(() => removeFolder(root))

  test.each(unnamedParameters)('refuse a field %s, and name all reserved ones', (name) => {
    const before = contents(root)
    for (const line of [`scaffold things thing ${name}:String`, `model thing ${name}:String`])
      expect(() => generate(root, line)).toThrow(
        /'(splat|captures):String' has a reserved name.*id, created_at, updated_at, flash, view, enum, splat, captures/,
      )
    expect(contents(root)).toEqual(before)
  })

  test('filter by no list parameter', () => {
    const fields = [...listParameters].map((name) => `${name}:enum:a,b`).join(' ')
    generate(root, `scaffold things thing name:String kind:enum:a,b ${fields}`)
    const files = contents(root)
    expect(files['src/main/controller/things-controller.ts']).toMatch(/filter: \['kind'\]/)
    const list = files['src/main/webapp/WEB-INF/views/things/index.html.ssp']!
    expect([...list.matchAll(/<select name="(\w+)"/g)].map(([, name]) => name)).toEqual(['kind'])
  })
})
