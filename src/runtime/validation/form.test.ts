import { describe, expect, expectTypeOf, it } from 'vitest'
import { FwError, type Temporal } from '../base.ts'
import { ParamType, Params, isPermitted } from '../params.ts'
import {
  createForm,
  dateFormat,
  formSchema,
  maxLength,
  numeric,
  paramKey,
  required,
} from '../validation.ts'

const params = (values: Record<string, string | string[]>) =>
  new Params(new Map(Object.entries(values).map(([key, text]) => [key, [text].flat()])))

const types = {
  name: ParamType.String,
  birthday: ParamType.LocalDate,
  countryId: ParamType.optional(ParamType.Long),
  active: ParamType.Boolean,
}
const rules = [
  paramKey('name').is(required, maxLength(5)),
  paramKey('birthday').is(required, dateFormat),
] as const

describe('createForm', () => {
  it('has permitted values when it is valid', () => {
    const form = createForm(
      params({ name: 'Ann', birthday: '2000-01-02', admin: '1' }),
      types,
      rules,
    )
    if (!form.validate()) throw new Error(form.errorMessages.join())
    expectTypeOf(form.permitted.birthday).toEqualTypeOf<Temporal.PlainDate>()
    expectTypeOf(form.permitted.countryId).toEqualTypeOf<number | undefined>()
    expect(isPermitted(form.permitted)).toBe(true)
    expect(Object.keys(form.permitted)).toEqual(['name', 'birthday', 'active'])
    expect(form.permitted).toBe(form.permitted)
  })

  it('reports conversion errors together with rule errors, one per key', () => {
    const form = createForm(params({ name: 'Annabel', countryId: 'x' }), types, rules)
    expect(form.validate()).toBe(false)
    expect(JSON.stringify(form.keyAndErrorMessages)).toBe(
      '{"name":["name length must be less than or equal to 5"],"birthday":["birthday is required"],' +
        '"countryId":["countryId is less or greater than expected range"]}',
    )
  })

  it.each([
    ['Int', ParamType.Int, 'n is less or greater than expected range'],
    ['BigDecimal', ParamType.BigDecimal, 'n must be numeric'],
    ['Double', ParamType.Double, 'n must be a number'],
    ['LocalTime', ParamType.LocalTime, 'n must be a time value'],
    ['DateTime', ParamType.DateTime, 'n must be a datetime value'],
    ['array', ParamType.array(ParamType.Int), 'n is invalid'],
    ['own', ParamType.of('Colour', () => undefined), 'n is invalid'],
  ])('uses the message of a rule for a value that is not a %s', (_name, type, message) => {
    expect(createForm(params({ n: 'x' }), { n: type }, []).errorMessages).toEqual([message])
  })

  it('has no values before it is valid', () => {
    const form = createForm(params({}), types, rules) as unknown as { permitted: unknown }
    expect(() => form.permitted).toThrow(FwError)
  })

  it('partial() evaluates and permits only sent fields', () => {
    const form = createForm(params({ countryId: '' }), types, rules).partial()
    if (!form.validate()) throw new Error(form.errorMessages.join())
    expectTypeOf(form.permitted.name).toEqualTypeOf<string | undefined>()
    expect(Object.keys(form.permitted)).toEqual(['countryId'])
    expect(
      createForm(params({ name: '' }), types, rules)
        .partial()
        .validate(),
    ).toBe(false)
  })
})

describe('formSchema', () => {
  const schema = formSchema(types, ...rules)

  it('is a Standard Schema whose output is permitted', () => {
    const result = schema['~standard'].validate({
      name: 'Ann',
      birthday: '2000-01-02',
      countryId: 7,
      active: true,
      admin: true,
    })
    if (result instanceof Promise || result.issues) throw new Error('refused')
    expect(isPermitted(result.value)).toBe(true)
    expect({ ...result.value, birthday: String(result.value.birthday) }).toEqual({
      name: 'Ann',
      birthday: '2000-01-02',
      countryId: 7,
      active: true,
    })
  })

  it('returns issues by field', () => {
    expect(schema['~standard'].validate({ name: '', birthday: {}, countryId: null })).toEqual({
      issues: [
        { message: 'name is required', path: ['name'] },
        { message: 'birthday is required', path: ['birthday'] },
      ],
    })
    expect(schema['~standard'].validate('x')).toEqual({
      issues: [{ message: 'must be an object' }],
    })
  })
})

it('types', () => {
  const check = (sent: Params) => {
    const form = createForm(sent, types, rules)
    // @ts-expect-error available only after validate()
    void form.permitted
    // @ts-expect-error no such field
    void form.errors.nmae
    // @ts-expect-error a rule on an unlisted key
    createForm(sent, { name: ParamType.String }, [paramKey('nmae').is(required)])
    // @ts-expect-error a rule on an unlisted key
    formSchema({ name: ParamType.String }, paramKey('nmae').is(numeric))
    if (!form.validate()) return
    // @ts-expect-error an unlisted field
    void form.permitted.admin
  }
  expect(check).toBeTypeOf('function')
})
