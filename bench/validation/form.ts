/** Microseconds to judge and to permit a form of ten fields, beside zod and vine where they are installed: `node bench/validation/form.ts`. */
import { Params, ParamType } from '../../src/params.ts'
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
} from '../../src/validation.ts'

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

/** As a controller writes them: made anew for each request. */
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
const runs = new Map<string, Run>([
  ['validation', () => sure(createValidation(new Params(source), rules()).validate())],
  [
    'validation, rules made once',
    () => sure(createValidation(new Params(source), madeOnce).validate()),
  ],
  ['permit', () => sure(new Params(source).permit(types).age === 33)],
  [
    'form: validation and permit',
    () => sure(createForm(new Params(source), types, rules()).validate()),
  ],
])

interface ZodType {
  min(n: number): ZodType
  max(n: number): ZodType
  length(n: number): ZodType
  int(): ZodType
  optional(): ZodType
  transform(change: (value: string) => unknown): ZodType
  safeParse(value: unknown): { success: boolean }
}
interface Zod {
  object(fields: Record<string, ZodType>): ZodType
  string(): ZodType
  email(): ZodType
  iso: { date(): ZodType }
  coerce: { number(): ZodType }
  stringbool(): ZodType
}

// In a variable, so that the compiler does not ask for packages that may be absent.
const optional = async <T>(name: string): Promise<T | undefined> =>
  import(name).then(
    (module: T) => module,
    () => undefined,
  )

const zod = await optional<{ z: Zod }>('zod')
if (zod !== undefined) {
  const { z } = zod
  const schema = z.object({
    name: z.string().min(2).max(512),
    email: z.email(),
    birthday: z.iso.date().transform((text) => new Date(text)),
    countryId: z.coerce.number().int().optional(),
    age: z.coerce.number().int().min(0).max(150),
    zip: z.string().length(5),
    city: z.string().min(1).max(100),
    street: z.string().min(1).max(100),
    note: z.string().max(1000).optional(),
    active: z.stringbool(),
  })
  runs.set('zod, schema made once', () => sure(schema.safeParse(sent).success))
}

interface VineType {
  minLength(n: number): VineType
  maxLength(n: number): VineType
  fixedLength(n: number): VineType
  email(): VineType
  min(n: number): VineType
  max(n: number): VineType
  withoutDecimals(): VineType
  optional(): VineType
}
interface Vine {
  object(fields: Record<string, VineType>): VineType
  string(): VineType
  number(): VineType
  boolean(): VineType
  date(): VineType
  create?(schema: VineType): { validate(value: unknown): Promise<{ name: string }> }
  compile(schema: VineType): { validate(value: unknown): Promise<{ name: string }> }
}

const vinejs = await optional<{ default: Vine }>('@vinejs/vine')
if (vinejs !== undefined) {
  const vine = vinejs.default
  const validator = vine.compile(
    vine.object({
      name: vine.string().minLength(2).maxLength(512),
      email: vine.string().email(),
      birthday: vine.date(),
      countryId: vine.number().withoutDecimals().optional(),
      age: vine.number().withoutDecimals().min(0).max(150),
      zip: vine.string().fixedLength(5),
      city: vine.string().maxLength(100),
      street: vine.string().maxLength(100),
      note: vine.string().maxLength(1000).optional(),
      active: vine.boolean(),
    }),
  )
  runs.set('vine, schema made once', async () =>
    sure((await validator.validate({ ...sent })).name !== ''),
  )
}

async function microseconds(run: Run): Promise<number> {
  const start = process.hrtime.bigint()
  for (let i = 0; i < batch; i++) {
    const waiting = run()
    if (waiting !== undefined) await waiting
  }
  return Number(process.hrtime.bigint() - start) / batch / 1000
}

// Every subject once a round, so that a change of the machine's speed meets all of them.
const seen = new Map([...runs.keys()].map((name): [string, number[]] => [name, []]))
for (let round = 0; round < rounds; round++) {
  for (const [name, run] of runs) seen.get(name)!.push(await microseconds(run))
}

console.log(`Node ${process.version}, a form of ten fields, median of ${rounds} rounds of ${batch}`)
for (const [name, times] of seen) {
  const median = times.toSorted((a, b) => a - b)[rounds >> 1]!
  console.log(`${name.padEnd(32)}${median.toFixed(2).padStart(8)} µs`)
}
