import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { FwError } from '../base.ts'
import { Params, ParamType } from '../params.ts'
import {
  createForm,
  createSchemaForm,
  createValidation,
  paramKey,
  required,
} from '../validation.ts'

/** A validator of another library. */
function schema<I, O>(
  validate: (value: unknown) => StandardSchemaV1.Result<O> | Promise<StandardSchemaV1.Result<O>>,
): StandardSchemaV1<I, O> {
  return { '~standard': { version: 1, vendor: 'other', validate } }
}

const params = (values: Record<string, string[]>) => new Params(new Map(Object.entries(values)))
const issue = (message: string, ...path: StandardSchemaV1.Issue['path'] & object) => ({
  message,
  path,
})

const adult = schema<string, number>((value) =>
  Number(value) >= 18
    ? { value: Number(value) }
    : { issues: [{ message: 'too young' }, { message: 'or no number' }] },
)

describe('a schema as a rule', () => {
  it('reports its issues as errors, after the rules before it', () => {
    const rules = [paramKey('age').is(required, adult)]
    expect(createValidation(params({ age: ['18'] }), rules).validate()).toBe(true)
    expect(createValidation(params({}), rules).errorMessages).toEqual(['age is required'])
    const young = createValidation(params({ age: ['17'] }), rules)
    expect(young.errors.age).toEqual([
      { name: 'schema', messageParams: ['too young'] },
      { name: 'schema', messageParams: ['or no number'] },
    ])
    expect(young.errorMessages).toEqual(['too young', 'or no number'])
  })

  it('uses the text error.schema', () => {
    const messages = {
      message: (key: string, ...args: readonly string[]) =>
        key === 'error.schema' ? args.join(': ') : undefined,
    }
    const rules = [paramKey('age').is(adult)]
    expect(createValidation(params({ age: ['1'] }), rules, { messages }).errorMessages[0]).toBe(
      'age: too young',
    )
  })

  it('throws for an asynchronous schema', () => {
    const slow = schema(() => Promise.reject(new Error('unheard')))
    const validation = createValidation(params({}), [paramKey('x').is(slow)])
    expect(() => validation.validate()).toThrow(FwError)
    expect(() => validation.validate()).toThrow('A schema of other validates asynchronously')
  })
})

interface Order {
  readonly name: string
  readonly lines: readonly { readonly count: number }[]
}

describe('a schema as a form', () => {
  const seen = schema<unknown, Record<string, unknown>>((value) => ({
    value: value as Record<string, unknown>,
  }))

  it('gets the first text of each key, and lists for k[]', () => {
    const form = createSchemaForm(
      params({ a: ['1', '2'], 'ids[]': ['3'], none: [], __proto__x: ['y'] }),
      seen,
    )
    if (!form.validate()) throw new Error('refused')
    expect({ ...form.values }).toEqual({ a: '1', ids: ['3'], __proto__x: 'y' })
    expect(Object.getPrototypeOf(form.values)).toBeNull()
  })

  it('reports issues by dotted path', () => {
    const order = schema<unknown, Order>(() => ({
      issues: [
        issue('bad', 'name'),
        issue('worse', 'name'),
        issue('low', 'lines', { key: 0 }, 'count'),
        { message: 'whole' },
      ],
    }))
    const body = { name: 'x', lines: [], total: 3, deep: { a: 1 } }
    const form = createSchemaForm(body, order)
    expect(form.validate()).toBe(false)
    expect(JSON.stringify(form.keyAndErrorMessages)).toBe(
      '{"name":["bad","worse"],"lines.0.count":["low"],"":["whole"]}',
    )
    expect(form.errors['lines.0.count']).toHaveLength(1)
    expect(form.params.get('total')).toBe('3')
    expectTypeOf(form.errors.name).not.toBeNever()
    // @ts-expect-error no such member
    void form.errors.nmae
    // @ts-expect-error available only after validate()
    expect(() => form.values).toThrow(FwError)
  })

  it('returns the output of the schema', () => {
    const form = createSchemaForm(
      undefined,
      schema<unknown, Order>(() => ({ value: { name: 'x', lines: [] } })),
    )
    expect(form.partial()).toBe(form)
    if (!form.validate()) throw new Error('refused')
    expectTypeOf(form.values).toEqualTypeOf<Order>()
    expect(form.values.name).toBe('x')
  })

  it('reports at most a hundred issues', () => {
    const many = schema<unknown, Order>(() => ({
      issues: Array.from({ length: 1e5 }, (_, i) => issue('bad', 'lines', i)),
    }))
    expect(createSchemaForm([], many).errorMessages).toHaveLength(100)
  })
})

describe('errors of files', () => {
  const fileErrors = new Map([['photo', { name: 'fileSize', messageParams: ['8 MB'] }]])
  const messages = ['photoId must be at most 8 MB']

  it('are those of the key of the field, or of its record, in place of those of the rules', () => {
    const sent = params({ photoId: [''] })
    const validation = createValidation(sent, [paramKey('photoId').is(required)], { fileErrors })
    expect(validation.validate()).toBe(false)
    expect([...validation.keyAndErrorMessages]).toEqual([['photoId', messages]])
    const both = [paramKey('photoId').is(required), paramKey('photo').is(required)]
    const keys = createValidation(params({ photoId: ['7'] }), both, { fileErrors }).errors
    expect(Object.keys(keys)).toEqual(['photo'])
    const other = createValidation(sent, [paramKey('title').is(required)], { fileErrors })
    expect(Object.keys(other.errors)).toEqual(['title', 'photo'])
  })

  it('are errors of a form with fields, also of a partial one and of one that has no rule for the field', () => {
    const types = { title: ParamType.String, photoId: ParamType.optional(ParamType.Uuid) }
    const form = createForm(params({ title: ['x'] }), types, [], { fileErrors })
    expect([...form.keyAndErrorMessages]).toEqual([['photoId', messages]])
    const part = createForm(params({}), types, [], { fileErrors }).partial()
    expect([...part.keyAndErrorMessages]).toEqual([['photoId', messages]])
    const rules = [paramKey('photo_id').is(required)]
    const snake = createValidation(params({}), rules, { fileErrors }).partial()
    expect(Object.keys(snake.errors)).toEqual(['photo_id'])
  })

  it.each(['photoId', 'photo_id'])(
    'are errors of a partial form if the file field is called %s',
    (name) => {
      const errors = new Map([[name, { name: 'fileSize', messageParams: ['8 MB'] }]])
      const options = { fileErrors: errors }
      const part = createValidation(params({}), [paramKey(name).is(required)], options).partial()
      expect(part.rules.map(({ key }) => key)).toEqual([name])
      const types = { [name]: ParamType.optional(ParamType.Uuid) }
      expect([...createForm(params({}), types, [], options).partial().keyAndErrorMessages]).toEqual(
        [[name, [expect.stringContaining('must be at most 8 MB')]]],
      )
    },
  )

  it('are errors of a form with a schema', () => {
    const any = schema<unknown, unknown>((value) => ({ value }))
    const form = createSchemaForm(params({ title: ['x'] }), any, { fileErrors })
    expect(form.validate()).toBe(false)
    expect([...form.keyAndErrorMessages]).toEqual([['photo', ['photo must be at most 8 MB']]])
  })
})
