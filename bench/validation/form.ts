/** Microseconds to validate and convert a form of ten fields, compared with zod 4 and vine 4: `node bench/validation/form.ts [--write]`. */
import { writeFileSync } from 'node:fs'
import vine from '@vinejs/vine'
import { z } from 'zod'
import { Temporal } from '../../src/runtime/base.ts'
import { Params, ParamType } from '../../src/runtime/params.ts'
import {
  createForm,
  createValidation,
  dateFormat,
  email,
  intMinMaxValue,
  length,
  maxLength,
  minLength,
  numeric,
  paramKey,
  required,
} from '../../src/runtime/validation.ts'

const rounds = 9
const batch = 20_000

const sent = {
  name: 'Ann Example',
  email: 'ann@example.com',
  birthday: '2000-01-02',
  countryId: '81',
  age: '33',
  zip: '12345',
  city: 'Amsterdam',
  street: 'Keizersgracht 1',
  note: 'Rings twice.',
  active: 'true',
}
const source = new Map(Object.entries(sent).map(([key, text]) => [key, [text]]))

const types = {
  name: ParamType.String,
  email: ParamType.String,
  birthday: ParamType.LocalDate,
  countryId: ParamType.optional(ParamType.Long),
  age: ParamType.Int,
  zip: ParamType.String,
  city: ParamType.String,
  street: ParamType.String,
  note: ParamType.optional(ParamType.String),
  active: ParamType.Boolean,
}

/** Creates the rules for each request, like a controller. */
const rules = () =>
  [
    paramKey('name').is(required, minLength(2), maxLength(512)),
    paramKey('email').is(required, email),
    paramKey('birthday').is(required, dateFormat),
    paramKey('countryId').is(numeric),
    paramKey('age').is(required, intMinMaxValue(0, 150)),
    paramKey('zip').is(required, length(5)),
    paramKey('city').is(required, maxLength(100)),
    paramKey('street').is(required, maxLength(100)),
    paramKey('note').is(maxLength(1000)),
    paramKey('active').is(required),
  ] as const
const madeOnce = rules()

function sure(valid: boolean): void {
  if (!valid) throw new Error('the form is valid, and was refused')
}

type Run = () => void | Promise<void>

// Typical use: Fw creates its rules for each request, zod and vine create their schema once.
const judged = z.object({
  name: z.string().min(2).max(512),
  email: z.email(),
  birthday: z.iso.date(),
  countryId: z
    .string()
    .regex(/^-?\d+$/)
    .optional(),
  age: z.string().refine((text) => Number(text) >= 0 && Number(text) <= 150),
  zip: z.string().length(5),
  city: z.string().min(1).max(100),
  street: z.string().min(1).max(100),
  note: z.string().max(1000).optional(),
  active: z.string().min(1),
})
const converted = judged.extend({
  birthday: z.iso.date().transform((text) => Temporal.PlainDate.from(text)),
  countryId: z.coerce.number().int().optional(),
  age: z.coerce.number().int().min(0).max(150),
  active: z.stringbool(),
})
const vineRules = {
  name: vine.string().minLength(2).maxLength(512),
  email: vine.string().email(),
  zip: vine.string().fixedLength(5),
  city: vine.string().maxLength(100),
  street: vine.string().maxLength(100),
  note: vine.string().maxLength(1000).optional(),
}
const isoDate = vine.string().regex(/^\d{4}-\d\d-\d\d$/)
// Vine's types require fields that exactOptionalPropertyTypes forbids.
const vineForm = (fields: Record<string, unknown>) =>
  vine.create(vine.object(fields as Record<string, ReturnType<typeof vine.string>>))
const vineJudged = vineForm({
  ...vineRules,
  birthday: isoDate,
  countryId: vine
    .string()
    .regex(/^-?\d+$/)
    .optional(),
  age: vine.string().regex(/^\d{1,3}$/),
  active: vine.string(),
})
const vineConverted = vineForm({
  ...vineRules,
  birthday: isoDate.clone().transform((text) => Temporal.PlainDate.from(text)),
  countryId: vine.number().withoutDecimals().optional(),
  age: vine.number().withoutDecimals().min(0).max(150),
  active: vine.boolean(),
})

const runs = new Map<string, Run>([
  ['judge: fw validation', () => sure(createValidation(new Params(source), rules()).validate())],
  [
    'judge: fw validation, rules made once',
    () => sure(createValidation(new Params(source), madeOnce).validate()),
  ],
  ['judge: zod', () => sure(judged.safeParse(sent).success)],
  ['judge: vine', async () => sure((await vineJudged.validate({ ...sent })).age === '33')],
  ['convert: fw permit', () => sure(new Params(source).permit(types).age === 33)],
  [
    'judge and convert: fw form',
    () => {
      const form = createForm(new Params(source), types, rules())
      sure(form.validate() && form.permitted.age === 33)
    },
  ],
  [
    'judge and convert: fw form, rules made once',
    () => {
      const form = createForm(new Params(source), types, madeOnce)
      sure(form.validate() && form.permitted.age === 33)
    },
  ],
  ['judge and convert: zod', () => sure(converted.safeParse(sent).data?.age === 33)],
  [
    'judge and convert: vine',
    async () => sure(String((await vineConverted.validate({ ...sent })).age) === '33'),
  ],
])

/** Microseconds of processor time, which excludes other programs. */
async function microseconds(run: Run): Promise<number> {
  const start = process.cpuUsage()
  for (let i = 0; i < batch; i++) {
    const waiting = run()
    if (waiting !== undefined) await waiting
  }
  const { user, system } = process.cpuUsage(start)
  return (user + system) / batch
}

// Each round runs every subject, so that changes of the machine's speed affect all equally.
const seen = new Map([...runs.keys()].map((name): [string, number[]] => [name, []]))
for (let round = 0; round < rounds; round++) {
  for (const [name, run] of runs) seen.get(name)!.push(await microseconds(run))
}

const medians = new Map(
  [...seen].map(([name, times]) => [name, times.toSorted((a, b) => a - b)[rounds >> 1]!]),
)
const ratio = (ours: string, theirs: string) =>
  Number((medians.get(theirs)! / medians.get(ours)!).toFixed(2))
const result = {
  node: process.version,
  what: `a form of ten fields, microseconds of processor time, median of ${rounds} rounds of ${batch}`,
  microseconds: Object.fromEntries([...medians].map(([name, us]) => [name, Number(us.toFixed(2))])),
  // First with rules and schemas created once on both sides, then with Fw's rules created for each request.
  timesFaster: {
    'judge: than zod': ratio('judge: fw validation, rules made once', 'judge: zod'),
    'judge: than vine': ratio('judge: fw validation, rules made once', 'judge: vine'),
    'judge: than zod, our rules made each time': ratio('judge: fw validation', 'judge: zod'),
    'judge: than vine, our rules made each time': ratio('judge: fw validation', 'judge: vine'),
    'judge and convert: than zod': ratio(
      'judge and convert: fw form, rules made once',
      'judge and convert: zod',
    ),
    'judge and convert: than vine': ratio(
      'judge and convert: fw form, rules made once',
      'judge and convert: vine',
    ),
    'judge and convert: than zod, our rules made each time': ratio(
      'judge and convert: fw form',
      'judge and convert: zod',
    ),
    'judge and convert: than vine, our rules made each time': ratio(
      'judge and convert: fw form',
      'judge and convert: vine',
    ),
  },
}

console.log(JSON.stringify(result, undefined, 2))
if (process.argv.includes('--write')) {
  const file = new URL('../results/validation.json', import.meta.url)
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`)
}
