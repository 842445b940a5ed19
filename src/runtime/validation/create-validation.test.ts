import { describe, expect, expectTypeOf, it } from 'vitest'
import { FwError } from '../base.ts'
import { ParamType, Params } from '../params.ts'
import {
  KeyAndErrorMessages,
  type MessageSource,
  type Validation,
  type ValidationError,
  checkAll,
  createValidation,
  dateFormat,
  i18nKey,
  maxLength,
  minLength,
  numeric,
  oneOf,
  param,
  paramKey,
  past,
  required,
  rule,
  same,
} from '../validation.ts'

const params = (values: Record<string, string>) =>
  new Params(new Map(Object.entries(values).map(([key, text]) => [key, [text]])))

const memberRules = [
  paramKey('name').is(required, minLength(2)),
  paramKey('birthday').is(required, dateFormat),
  paramKey('countryId').is(numeric),
] as const

const messages = (texts: Record<string, string>): MessageSource => ({
  message: (key, ...args) =>
    texts[key]?.replace(/\{(\d)\}/g, (_, index: string) => args[Number(index)] ?? ''),
})

describe('validate', () => {
  it('passes valid parameters', () => {
    const validation = createValidation(
      params({ name: 'Ann', birthday: '2000-01-02' }),
      memberRules,
    )
    expect(validation.validate()).toBe(true)
    expect(validation.hasErrors).toBe(false)
    expect(validation.errors).toEqual({})
    expect(validation.errorMessages).toEqual([])
    expect(JSON.stringify(validation.keyAndErrorMessages)).toBe('{}')
  })

  it('addErrors adds errors to those of the rules', () => {
    let told = 0
    const validation = createValidation(
      params({ name: 'Ann', birthday: '2000-01-02' }),
      memberRules,
      { onFailure: () => void told++ },
    )
    expect(validation.validate()).toBe(true)
    validation.addErrors({ name: [{ name: 'unique', messageParams: [] }], whole: undefined })
    validation.addErrors({
      name: [{ name: 'maxLength', messageParams: ['2'] }],
      other: [{ name: 'exists', messageParams: [] }],
    })
    expect([validation.validate(), told]).toEqual([false, 3])
    expect(JSON.stringify(validation.keyAndErrorMessages)).toBe(
      '{"name":["name is already taken","name length must be less than or equal to 2"],' +
        '"other":["other does not exist"]}',
    )
  })

  it('stops at the first failure of a key and continues with the next key', () => {
    const validation = createValidation(params({ name: 'A', countryId: 'x' }), memberRules)
    expect(validation.validate()).toBe(false)
    expect({ ...validation.errors }).toEqual({
      name: [{ name: 'minLength', messageParams: ['2'] }],
      birthday: [{ name: 'required', messageParams: [] }],
      countryId: [{ name: 'numeric', messageParams: [] }],
    })
    expect(validation.errorMessages).toEqual([
      'name length must be greater than or equal to 2',
      'birthday is required',
      'countryId must be numeric',
    ])
  })

  it('accepts the notation of the specification: is(required).and(maxLength(512))', () => {
    const rules = [paramKey('name').is(required).and(maxLength(2))]
    expect(createValidation(params({ name: 'Ann' }), rules).errorMessages).toEqual([
      'name length must be less than or equal to 2',
    ])
    expect(createValidation(params({}), rules).errorMessages).toEqual(['name is required'])
  })

  it('collects every failure of a key with checkAll', () => {
    const rules = [paramKey('name').is(checkAll(numeric, minLength(3)))]
    expect(
      createValidation(params({ name: 'a' }), rules).errors.name?.map(({ name }) => name),
    ).toEqual(['numeric', 'minLength'])
  })

  it('checks values of the application, and merges the entries of one key', () => {
    const rules = [
      paramKey('password').is(minLength(8)),
      param('password', ['a', 'b']).is(same),
      param('n', 5).is(rule('five', (n: number) => n === 5)),
    ]
    const validation = createValidation(params({ password: 'short' }), rules)
    expect(validation.errors.password?.map(({ name }) => name)).toEqual(['minLength', 'same'])
    expect(validation.errorMessages).toEqual([
      'password length must be greater than or equal to 8',
      'password must be the same',
    ])
    expect([...validation.keyAndErrorMessages].map(([key]) => key)).toEqual(['password'])
  })

  it('falls back to k[], and treats keys of Object.prototype as ordinary keys', () => {
    const from = new Params(
      new Map([
        ['ids[]', ['x']],
        ['__proto__', ['y']],
      ]),
    )
    const validation = createValidation(from, [
      paramKey('ids').is(numeric),
      paramKey('__proto__').is(numeric),
      paramKey('constructor').is(required),
    ])
    expect(Object.keys(validation.errors)).toEqual(['ids', '__proto__', 'constructor'])
    expect(JSON.stringify(validation.keyAndErrorMessages)).toContain(
      '"__proto__":["__proto__ must be numeric"]',
    )
  })

  it('calls onFailure only when validate returns false', () => {
    const failed: string[][] = []
    const onFailure = (validation: Validation) => void failed.push([...validation.errorMessages])
    createValidation(params({ name: 'Ann', birthday: '2000-01-02' }), memberRules, {
      onFailure,
    }).validate()
    const invalid = createValidation(params({ name: 'Ann' }), memberRules, { onFailure })
    expect(invalid.errorMessages).toHaveLength(1)
    expect(failed).toEqual([])
    invalid.validate()
    expect(failed).toEqual([['birthday is required']])
  })

  it('evaluates the rules once', () => {
    let calls = 0
    const counted = rule('counted', () => ++calls < 0)
    const validation = createValidation(params({}), [paramKey('x').is(counted)])
    validation.validate()
    validation.validate()
    void validation.errors
    expect(calls).toBe(1)
  })

  it('partial() evaluates only sent keys: a blank key is an error, an absent one is not', () => {
    const partial = createValidation(params({ name: '' }), [
      ...memberRules,
      param('own', 1).is(rule('never', () => false)),
    ]).partial()
    expect(Object.keys(partial.errors)).toEqual(['name', 'own'])
    expect([...partial.keyAndErrorMessages].map(([key]) => key)).toEqual(['name', 'own'])
  })
})

describe('messages', () => {
  const failing = (source: MessageSource | undefined, prefix?: string) =>
    createValidation(params({ first_name: 'A' }), [paramKey('first_name').is(minLength(2))], {
      messages: source,
      prefix,
    }).errorMessages[0]

  it('uses the texts and labels of the messages, with the prefix first', () => {
    const texts = {
      'error.minLength': '{0}: {1} or more',
      firstName: 'First name',
      'member.firstName': 'Name of the member',
    }
    expect(failing(messages(texts))).toBe('First name: 2 or more')
    expect(failing(messages(texts), 'member')).toBe('Name of the member: 2 or more')
    expect(failing(messages(texts), 'company')).toBe('First name: 2 or more')
  })

  it('falls back to the English text and the raw key, then to the name of the rule', () => {
    expect(failing(messages({}))).toBe('first_name length must be greater than or equal to 2')
    expect(failing(undefined)).toBe('first_name length must be greater than or equal to 2')
    const own = [paramKey('x').is(rule('toString', () => false))]
    expect(createValidation(params({}), own).errorMessages).toEqual(['toString'])
  })

  it('formats custom rules, custom texts and translated parameters', () => {
    const rules = [
      paramKey('a').is(rule('after', () => false, i18nKey('start'), 'x')),
      paramKey('b').is(
        rule('odd', () => false, i18nKey('nowhere')).withMessage('{0} needs {1}, {2}'),
      ),
    ]
    const source = messages({
      'error.after': '{0} after {1} and {2}',
      start: 'the start',
      a: 'End',
    })
    expect(createValidation(params({}), rules, { messages: source }).errorMessages).toEqual([
      'End after the start and x',
      'b needs nowhere, {2}',
    ])
  })

  it('lists the texts of the values that a key may have, and the values for programs', () => {
    const rules = [paramKey('print_status').is(oneOf('draft', 'sold'))]
    const source = messages({ 'book.enum.printStatus.draft': 'Draft copy' })
    const list = (sent: Params, prefix?: string) =>
      createValidation(sent, rules, { messages: source, prefix }).errorMessages
    const form = params({ print_status: 'x' })
    expect(list(form, 'book')).toEqual(['print_status must be one of: Draft copy, sold'])
    expect(list(form, 'film')).toEqual(['print_status must be one of: draft, sold'])
    expect(list(form)).toEqual(['print_status must be one of: draft, sold'])
    const json = new Params({
      get: () => ['x'],
      keys: () => ['print_status'],
      json: () => 'x',
    })
    expect(list(json, 'book')).toEqual(['print_status must be one of: draft, sold'])
  })

  it('does not format placeholders in values', () => {
    const rules = [paramKey('a').is(rule('bad', () => false, '{0} $& $1').withMessage('{1}!'))]
    expect(createValidation(params({}), rules).errorMessages).toEqual(['{0} $& $1!'])
  })
})

describe('KeyAndErrorMessages', () => {
  it('is empty by default', () => {
    const none = new KeyAndErrorMessages()
    expect([
      none.size,
      none.get('x'),
      none.hasErrors('x'),
      none.getErrors('x'),
      JSON.stringify(none),
    ]).toEqual([0, [], false, [], '{}'])
  })

  it('contains the keys with messages', () => {
    const { keyAndErrorMessages } = createValidation(params({ name: 'Ann' }), memberRules)
    expect([...keyAndErrorMessages.keys()]).toEqual(['birthday'])
    expect(keyAndErrorMessages.hasErrors('name')).toBe(false)
    expect(keyAndErrorMessages.hasErrors('birthday')).toBe(true)
    expect(keyAndErrorMessages.getErrors('birthday')).toEqual(['birthday is required'])
    expect(keyAndErrorMessages.get('constructor')).toEqual([])
  })
})

describe('fold, success and failure', () => {
  const valid = createValidation(params({ name: 'Ann', birthday: '2000-01-02' }), memberRules)
  const invalid = createValidation(params({}), memberRules)

  it('calls the function for the result, given in either order', () => {
    const name = (p: Params) => p.get('name')
    expect(valid.fold(() => 'no', name)).toBe('Ann')
    expect(invalid.fold((_, errors) => Object.keys(errors), name)).toEqual(['name', 'birthday'])
    expect(
      valid
        .success(name)
        .failure(() => 1)
        .apply(),
    ).toBe('Ann')
    expect(
      invalid
        .failure((_, errors) => errors.name?.length)
        .success(name)
        .apply(),
    ).toBe(1)
    expect(valid.success(name).apply()).toBe('Ann')
  })

  it('throws when the function for the result was not given', () => {
    const attempt = () => invalid.success(() => 1).apply()
    expect(attempt).toThrow(FwError)
    expect(attempt).toThrow('ended in failure, but no function was given for it; call .failure(…)')
  })
})

it('types', () => {
  const check = (sent: Params) => {
    const validation = createValidation(sent, [
      paramKey('name').is(required, maxLength(512)),
      paramKey('birthday').is(required, dateFormat),
    ])
    expectTypeOf(validation.errors.name).toEqualTypeOf<readonly ValidationError[] | undefined>()
    expectTypeOf(
      validation.fold(
        () => 1,
        () => 'x',
      ),
    ).toEqualTypeOf<number | string>()
    const any: Validation = validation
    void any
    param('birthday', sent.getAs('birthday', ParamType.LocalDate)).is(past)
    param('password', [sent.get('a'), sent.get('b')]).is(same)
    // @ts-expect-error no such key in this validation
    void validation.errors.nmae
    // @ts-expect-error a function that creates a rule
    paramKey('name').is(required, maxLength)
    // @ts-expect-error a wrong argument
    paramKey('name').is(maxLength('512'))
    // @ts-expect-error at least one rule
    paramKey('name').is()
    // @ts-expect-error the text of a parameter is not a pair
    paramKey('name').is(same)
    // @ts-expect-error the text of a parameter is not a date
    paramKey('birthday').is(required).and(past)
    // @ts-expect-error a rule for numbers on a text
    paramKey('n').is(rule('five', (n: number) => n === 5))
    // @ts-expect-error a text for a rule of numbers
    param('n', 'x').is(rule('five', (n: number) => n === 5))
  }
  expect(check).toBeTypeOf('function')
})
