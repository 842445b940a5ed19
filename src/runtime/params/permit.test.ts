import { describe, expect, expectTypeOf, it } from 'vitest'
import { HttpError, type Temporal } from '../base.ts'
import {
  ParamType,
  Params,
  type Permitted,
  type PermittedValues,
  isPermitted,
  permitValues,
} from '../params.ts'

const params = (values: Record<string, string | string[]>) =>
  new Params(new Map(Object.entries(values).map(([key, text]) => [key, [text].flat()])))

const strong = {
  name: ParamType.String,
  birthday: ParamType.LocalDate,
  countryId: ParamType.optional(ParamType.Long),
}

function refusal(attempt: () => unknown): HttpError {
  try {
    attempt()
  } catch (error) {
    if (error instanceof HttpError) return error
  }
  throw new Error('no HttpError was thrown')
}

describe('decision 16: permit', () => {
  it('returns the listed fields, converted, and drops the rest', () => {
    const permitted = params({
      name: 'Ann',
      birthday: '2000-01-02',
      countryId: '7',
      admin: 'true',
    }).permit(strong)
    expect({ ...permitted, birthday: String(permitted.birthday) }).toEqual({
      name: 'Ann',
      birthday: '2000-01-02',
      countryId: 7,
    })
  })

  it('leaves out an absent optional field, and clears a blank one', () => {
    const values = { name: '', birthday: '2000-01-02' }
    expect(Object.keys(params(values).permit(strong))).toEqual(['name', 'birthday'])
    const cleared = params({ ...values, countryId: ' ' }).permit(strong)
    expect(Object.keys(cleared)).toEqual(['name', 'birthday', 'countryId'])
    expect(cleared.countryId).toBeUndefined()
  })

  it('clears an optional field only if all of its values are blank and do not convert', () => {
    const ids = ParamType.optional(ParamType.array(ParamType.Int))
    expect(params({ ids: ['', ' '] }).permit({ ids }).ids).toBeUndefined()
    expect(refusal(() => params({ ids: ['', 'x'] }).permit({ ids })).code).toBe('params.invalid')
    const note = ParamType.optional(ParamType.String)
    expect(params({ note: ' ' }).permit({ note }).note).toBe(' ')
  })

  it('refuses absent and invalid values with every key and message', () => {
    const error = refusal(() => params({ birthday: 'x', countryId: 'y' }).permit(strong))
    expect(error).toMatchObject({ status: 400, code: 'params.invalid' })
    expect(JSON.stringify(error.details)).toBe(
      '{"errors":{"name":["name is required"],"birthday":["birthday must be a date"],' +
        '"countryId":["countryId must be an integer from -9007199254740991 to 9007199254740991"]}}',
    )
    expect(error.message).not.toContain("'x'")
  })

  it('converts an absent checkbox to false and an absent list to an empty list', () => {
    const types = { active: ParamType.Boolean, tags: ParamType.array(ParamType.Int) }
    expect({ ...params({}).permit(types) }).toEqual({ active: false, tags: [] })
    expect({ ...params({ active: 'on', 'tags[]': ['1', '2'] }).permit(types) }).toEqual({
      active: true,
      tags: [1, 2],
    })
    expect(refusal(() => params({ tags: ['1', 'x'] }).permit(types)).details).toEqual({
      errors: { tags: [expect.stringContaining('tags must be a list')] },
    })
  })

  it('converts the empty text of an optional field to undefined', () => {
    const types = {
      a: ParamType.NullableString,
      b: ParamType.optional(ParamType.String),
      c: ParamType.optional(ParamType.Boolean),
    }
    const empty = { a: undefined, b: undefined, c: undefined }
    expect({ ...params({ a: '', b: '', c: '' }).permit(types) }).toEqual(empty)
    expect(Object.keys(params({}).permit(types))).toEqual([])
    expect(params({ a: '  ' }).permit(types).a).toBe('  ')
    expect(refusal(() => params({ a: 'x\0' }).permit(types)).status).toBe(400)
  })

  it('permits only the sent fields of a PATCH', () => {
    const partial = params({ name: 'Ann' }).permitPartial({ ...strong, active: ParamType.Boolean })
    expect({ ...partial }).toEqual({ name: 'Ann' })
    expect(isPermitted(partial)).toBe(true)
    expect(refusal(() => params({ birthday: '' }).permitPartial(strong)).status).toBe(400)
  })

  it('treats keys of Object.prototype as ordinary keys', () => {
    const sent = params(JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>)
    const types = {
      ['__proto__']: ParamType.String,
      constructor: ParamType.String,
      toString: ParamType.optional(ParamType.String),
    }
    const permitted = sent.permit(types)
    expect(Object.entries(permitted)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
    expect(isPermitted(permitted)).toBe(true)
    const missing = refusal(() => params({}).permit({ ['__proto__']: ParamType.Int }))
    expect(JSON.stringify(missing.details)).toBe(
      '{"errors":{"__proto__":["__proto__ is required"]}}',
    )
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })
})

describe('the brand', () => {
  it('marks permitted values only, not copies or similar objects', () => {
    const permitted = params({ name: 'Ann' }).permit({ name: ParamType.String })
    expect(isPermitted(permitted)).toBe(true)
    expect(isPermitted({ ...permitted })).toBe(false)
    expect(isPermitted(Object.create(permitted))).toBe(false)
    expect(isPermitted(structuredClone(permitted))).toBe(false)
    for (const value of [{}, undefined, null, 'x', 1]) expect(isPermitted(value)).toBe(false)
  })

  it('marks the listed members of typed values', () => {
    const values = { name: 'Ann', age: 1, admin: true }
    const permitted = permitValues(values, 'name', 'age')
    expect({ ...permitted }).toEqual({ name: 'Ann', age: 1 })
    expect(isPermitted(permitted)).toBe(true)
    expect(Object.keys(permitValues<{ a?: string }, 'a'>({}, 'a'))).toEqual([])
  })

  it('marks all members of values whose type is known', () => {
    const permitted = permitValues({ name: 'Ann', age: 1 })
    expect({ ...permitted }).toEqual({ name: 'Ann', age: 1 })
    expect(isPermitted(permitted)).toBe(true)
    expect(Object.keys(permitValues({}))).toEqual([])
  })

  it('marks the members of a list of names, none for an empty one', () => {
    const values = { name: 'Ann', age: 1, admin: true }
    const names = (['name', 'age'] as const).filter((name) => values[name] !== undefined)
    expect({ ...permitValues(values, names) }).toEqual({ name: 'Ann', age: 1 })
    const none: readonly 'name'[] = []
    expect(Object.keys(permitValues(values, none))).toEqual([])
  })
})

interface Member {
  readonly id: number
  readonly name: string
  readonly birthday: Temporal.PlainDate
  readonly countryId?: number | undefined
}
declare function create(values: PermittedValues & Omit<Member, 'id'>): void
declare function createAny(values: Permitted): void

it('types', () => {
  const check = (sent: Params) => {
    const permitted = sent.permit(strong)
    expectTypeOf(permitted.name).toEqualTypeOf<string>()
    expectTypeOf(permitted.birthday).toEqualTypeOf<Temporal.PlainDate>()
    expectTypeOf(permitted.countryId).toEqualTypeOf<number | undefined>()
    expectTypeOf(sent.permitPartial(strong).name).toEqualTypeOf<string | undefined>()
    expectTypeOf(sent.permit({ ids: ParamType.array(ParamType.Long) }).ids).toEqualTypeOf<
      readonly number[]
    >()
    expectTypeOf(sent.getAs('id', ParamType.Long)).toEqualTypeOf<number | undefined>()
    expectTypeOf(sent.getAsOrElse('id', ParamType.Long, 1)).toEqualTypeOf<number>()
    create(permitted)
    createAny(permitted)
    create(
      permitValues({ name: 'x', birthday: permitted.birthday, admin: true }, 'name', 'birthday'),
    )
    // @ts-expect-error an unlisted field
    void permitted.admin
    // @ts-expect-error raw values into the model
    create({ name: 'x', birthday: permitted.birthday })
    // @ts-expect-error raw values into any model
    createAny({ name: 'x' })
    // @ts-expect-error a copy is no longer permitted
    create({ ...permitted, admin: true })
    // @ts-expect-error birthday is not listed
    create(sent.permit({ name: ParamType.String }))
    // @ts-expect-error wrong type of birthday
    create(sent.permit({ name: ParamType.String, birthday: ParamType.String }))
    const loose = { ...strong, name: ParamType.optional(ParamType.String) }
    // @ts-expect-error an optional field where the model requires one
    create(sent.permit(loose))
    // @ts-expect-error no such type
    sent.permit({ name: ParamType.Strin })
    // @ts-expect-error a default of another type
    sent.getAsOrElse('page', ParamType.Int, 'x')
    // @ts-expect-error the fields of a PATCH are not a complete record
    create(sent.permitPartial(strong))
    create(permitValues({ name: 'x', birthday: permitted.birthday }))
    // @ts-expect-error birthday is missing
    create(permitValues({ name: 'x' }))
    // @ts-expect-error no such member
    permitValues({ name: 'x' }, 'nmae')
    // @ts-expect-error members that a client may have chosen need names
    permitValues({} as Record<string, string>)
    // @ts-expect-error any may be what a client has sent
    permitValues(JSON.parse('{}'))
    // @ts-expect-error a list of names that may be empty would permit all
    permitValues({ name: 'x' }, ...(['name'] as 'name'[]))
  }
  expect(check).toBeTypeOf('function')
})
