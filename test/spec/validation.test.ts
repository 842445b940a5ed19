/** Validation DSL of the specification; decisions 15 and 16, through controllers; schemas of other libraries. */
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import {
  dateFormat,
  formSchema,
  FwController,
  maxLength,
  minLength,
  paramKey,
  ParamType,
  permitValues,
  required,
  routes,
  type Temporal,
} from '../../src/index.ts'
import type { KeyRules, Validation } from '../../src/runtime/validation.ts'
import { serve } from '../support/serve.ts'

const files = {
  'src/main/webapp/WEB-INF/views/new.html.ssp': `<p role="alert">\${s.errorMessages.join('; ')}</p>
#for (key of ['name', 'birthday'])
<input name="\${key}" value="\${s.params.get(key)}"><small id="\${key}">\${s.keyAndErrorMessages.get(key).join(' ')}</small>
#end`,
  'src/main/resources/messages.yml':
    'name: Name\nmember.name: Full name\nerror.dateFormat: "{0}: no date"',
}

class Members extends FwController {
  #params() {
    return this.params.withDate('birthday')
  }
  create() {
    const form = this.validation(
      this.#params(),
      {
        name: ParamType.String,
        birthday: ParamType.LocalDate,
        age: ParamType.optional(ParamType.Int),
      },
      paramKey('name').is(required, minLength(2)),
      paramKey('birthday').is(required, dateFormat),
    )
    // @ts-expect-error available only after validate()
    void (() => form.permitted)
    if (!form.validate()) return this.render('/new' as never)
    expectTypeOf(form.permitted.birthday).toEqualTypeOf<Temporal.PlainDate>()
    return { ...form.permitted, birthday: form.permitted.birthday.toString() }
  }
  prefixed() {
    const form = this.validation(this.params, paramKey('name').is(required)).withPrefix('member')
    return form.fold(
      (_params, errors) => ({ status: this.status, errors, messages: form.errorMessages }),
      (params) => params.get('name'),
    )
  }
  shared(rules: readonly KeyRules[], more: KeyRules[]) {
    const form = this.validation(this.params, ...rules)
    expectTypeOf(form).toEqualTypeOf<Validation>()
    expectTypeOf(this.validation(this.params, paramKey('name').is(required), ...more)).toExtend<
      Validation<string>
    >()
    // @ts-expect-error not rules
    void (() => this.validation(this.params, ...(['name'] as string[])))
    return form.validate()
  }
  checked() {
    const form = this.validation(this.params, paramKey('name').is(required))
    expectTypeOf(form.validate()).toEqualTypeOf<boolean>()
    return { isValid: form.validate() }
  }
  unlisted() {
    const rule = paramKey('nmae').is(required)
    // @ts-expect-error a rule for an unlisted field
    return this.validation(this.params, { name: ParamType.String }, rule).validate()
  }
}

const members = routes(Members, (r) => ({
  create: r.post('/members', 'create'),
  prefixed: r.post('/prefixed', 'prefixed'),
  unlisted: r.post('/unlisted', 'unlisted'),
  checked: r.post('/checked', 'checked'),
}))

describe('a form', () => {
  it('is rendered again with its values and messages, with status 400', async () => {
    const app = await serve([members], { files })
    const sent = { name: 'A<', birthdayYear: '2000', birthdayMonth: '13', birthdayDay: '1' }
    const page = await app.post('/members', { form: sent })
    expect(page.status).toBe(400)
    expect(page.html('[role=alert]')).toBe('birthday: no date')
    expect(page.attribute('[name=name]', 'value')).toBe('A<')
    expect(page.attribute('[name=birthday]', 'value')).toBe('2000-13-01')
    const short = await app.post('/members', { form: { ...sent, name: 'A' } })
    expect(short.html('#name')).toBe('Name length must be greater than or equal to 2')
    expect(short.html('#birthday')).toBe('birthday: no date')
  })

  it('has its permitted values, and no unlisted field', async () => {
    const app = await serve([members])
    const form = { name: 'Ann', birthday: '2000-01-02', age: '33', admin: 'true' }
    expect((await app.post('/members', { form })).json()).toEqual({
      name: 'Ann',
      birthday: '2000-01-02',
      age: 33,
    })
  })

  it('is validated with true or false as the result', async () => {
    const app = await serve([members])
    expect((await app.post('/checked', { form: { name: 'Ann' } })).json()).toEqual({
      isValid: true,
    })
    expect((await app.post('/checked')).json()).toEqual({ isValid: false })
  })

  it('uses labels with the prefix', async () => {
    const app = await serve([members], { files })
    expect((await app.post('/prefixed')).json()).toMatchObject({
      status: 400,
      messages: ['Full name is required'],
      errors: { name: [{ name: 'required' }] },
    })
  })
})

interface Makers {
  /** At least two characters. */
  readonly rule: typeof zodRule | typeof valibotRule | typeof arkRule
  readonly shape: typeof zodShape | typeof valibotShape | typeof arkShape
}

const zodRule = z.string().min(2, 'too short')
const zodShape = z.object({
  name: zodRule,
  age: z.coerce.number().int('no whole number'),
  tags: z.array(z.object({ id: z.number('no number') })).default([]),
})
const valibotRule = v.pipe(v.string(), v.minLength(2, 'too short'))
const valibotShape = v.object({
  name: valibotRule,
  age: v.pipe(v.union([v.string(), v.number()]), v.transform(Number), v.integer('no whole number')),
  tags: v.optional(v.array(v.object({ id: v.number('no number') })), []),
})
const arkRule = type('string >= 2').configure({ message: 'too short' })
const arkShape = type({
  name: arkRule,
  age: type('string.numeric.parse | number').pipe(
    (age) => age,
    type('number % 1').configure({ message: 'no whole number' }),
  ),
  tags: type({ id: type('number').configure({ message: 'no number' }) })
    .array()
    .default(() => []),
})

const makers: Readonly<Record<string, Makers>> = {
  zod: { rule: zodRule, shape: zodShape },
  valibot: { rule: valibotRule, shape: valibotShape },
  arktype: { rule: arkRule, shape: arkShape },
}

describe.each(Object.entries(makers))('a schema of %s', (_vendor, { rule, shape }) => {
  class Schemas extends FwController {
    asRule() {
      const form = this.validation(
        this.params,
        paramKey('name')
          .is(required, rule as typeof zodRule)
          .and(maxLength(5)),
      )
      return form.validate() ? 'ok' : form.keyAndErrorMessages
    }
    asForm() {
      const form = this.validation(this.params, shape as typeof zodShape)
      return form.validate() ? permitValues(form.values, 'name', 'age') : form.keyAndErrorMessages
    }
    async asBody() {
      const form = this.validation(await this.request.json(), shape as typeof zodShape)
      return form.validate() ? form.values : form.keyAndErrorMessages
    }
  }
  const schemas = routes(Schemas, (r) => ({
    asRule: r.post('/rule', 'asRule'),
    asForm: r.post('/form', 'asForm'),
    asBody: r.post('/body', 'asBody'),
  }))

  it('works as a rule', async () => {
    const app = await serve([schemas])
    const judged = async (form: Record<string, string>) =>
      (await app.post('/rule', { form, headers: { accept: 'application/json' } })).body
    expect(await judged({})).toBe('{"name":["name is required"]}')
    expect(await judged({ name: 'A' })).toBe('{"name":["too short"]}')
    expect(await judged({ name: 'Annabel' })).toBe(
      '{"name":["name length must be less than or equal to 5"]}',
    )
    expect(await judged({ name: 'Ann' })).toContain('ok')
  })

  it('works as a form', async () => {
    const app = await serve([schemas])
    const wrong = await app.post('/form', { form: { name: 'A', age: '1.5' } })
    expect(wrong.status).toBe(400)
    expect(wrong.json()).toEqual({ name: ['too short'], age: ['no whole number'] })
    const right = await app.post('/form', { form: { name: 'Ann', age: '33', admin: '1' } })
    expect(right.json()).toEqual({ name: 'Ann', age: 33 })
  })

  it('checks a JSON body; its issues have texts of the messages and dotted keys', async () => {
    const app = await serve([schemas], {
      files: { 'src/main/resources/messages.yml': 'name: Name\nerror.schema: "{0}: {1}"' },
    })
    const send = (json: unknown) => app.post('/body', { json })
    const wrong = await send({ name: 'A', age: 1, tags: [{ id: 1 }, { id: 'x' }] })
    expect(wrong.status).toBe(400)
    expect(wrong.json()).toMatchObject({
      name: ['Name: too short'],
      'tags.1.id': ['tags.1.id: no number'],
    })
    const right = await send({ name: 'Ann', age: 33, tags: [{ id: 1 }] })
    expect(right.json()).toEqual({ name: 'Ann', age: 33, tags: [{ id: 1 }] })
    expect((await send(null)).status).toBe(400)
  })
})

describe('rules as a Standard Schema', () => {
  it('are accepted by other libraries', () => {
    const member = formSchema({ name: ParamType.String }, paramKey('name').is(required))
    expect(member['~standard'].validate({ name: 'Ann' })).toMatchObject({ value: { name: 'Ann' } })
    expect(member['~standard'].validate({})).toMatchObject({ issues: [{ path: ['name'] }] })
  })

  it('an asynchronous schema is refused with an explanation', async () => {
    class Late extends FwController {
      create() {
        return this.validation(
          this.params,
          z.object({ name: z.string().refine(async () => true) }),
        ).validate()
      }
    }
    const late = routes(Late, (r) => ({ create: r.post('/late', 'create') }))
    const app = await serve([late])
    expect((await app.post('/late', { form: { name: 'x' } })).status).toBe(500)
    expect(JSON.stringify(app.lines)).toContain('validation.async')
  })
})
