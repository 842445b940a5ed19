/** The table of absent, null and empty values in docs/validation.md is what `permit` does. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FwController, mix, routes } from '../src/runtime/controller.ts'
import { JsonParamsFeature, XmlParamsFeature } from '../src/runtime/feature.ts'
import { json } from '../src/runtime/model.ts'
import { ParamType } from '../src/runtime/params.ts'
import { serve } from './support/serve.ts'

const types = {
  String: ParamType.String,
  Boolean: ParamType.Boolean,
  'another type': ParamType.Int,
  'json()': json(),
  'array(type)': ParamType.array(ParamType.String),
  'optional(String)': ParamType.optional(ParamType.String),
  'optional(type) of another type': ParamType.optional(ParamType.Int),
  'optional(json())': ParamType.optional(json()),
} as const
const names = Object.keys(types) as readonly (keyof typeof types)[]

/** What the table says about a value that is not refused, and the value that `permit` returns. */
const outcomes: Readonly<Record<string, unknown>> = {
  'left out': 'left out',
  NULL: 'NULL',
  false: false,
  '[]': [],
  "''": '',
  "the value ''": '',
  'the value null': null,
  "the item ''": [''],
}

class Fields extends mix(FwController, JsonParamsFeature, XmlParamsFeature) {
  permit() {
    const at = Number(this.params.get('at'))
    const values = this.params.permit({ field: types[names[at]!] })
    if (!('field' in values)) return { is: 'left out' }
    return { is: values.field === undefined ? 'NULL' : values.field }
  }
}
const fields = routes(Fields, (r) => ({ permit: r.post('/:at', 'permit') }))

const page = readFileSync(join(import.meta.dirname, '../docs/validation.md'), 'utf8')
const section = page.split('### Absent, null and empty')[1]!.split('\n### ')[0]!
const rows = [...section.matchAll(/^\| (`.*|another type.*) \|$/gm)].map((line) =>
  line[1]!.replaceAll('`', '').split(' | '),
)

let app: Awaited<ReturnType<typeof serve>>

type Sent = Parameters<typeof app.post>[1]

/** Sends the field of a row, and returns its value, or the status 400. */
async function send(at: number, sent: Sent): Promise<unknown> {
  const response = await app.post(`/${at}`, {
    ...sent,
    headers: { accept: 'application/json', ...sent?.headers },
  })
  return response.status === 400 ? 400 : response.json().is
}

const inXml = (text: string): Sent => ({
  body: `<record><other>1</other>${text}</record>`,
  headers: { 'content-type': 'application/xml' },
})
const inJson = (field: unknown): Sent => ({ json: { field } })

test('the table has a row for each type', () => {
  expect(rows.map(([name]) => name)).toEqual(names)
})

describe.each(rows.map((cells, at) => [at, ...cells] as const))(
  'row %i: %s',
  (at, name, absent = '', ofNull = '', emptyInput = '', empty = '', list = '') => {
    const outcome = (cell: string): unknown => {
      const text = cell.split(';', 1)[0]!
      if (text === '400') return 400
      if (!(text in outcomes)) throw new Error(`The row ${name} has the unknown cell ${cell}.`)
      return outcomes[text]
    }
    test(`absent is ${absent}`, async () => {
      app = await serve([fields])
      for (const sent of [{ form: { other: '1' } }, { json: { other: 1 } }, inXml('')])
        expect(await send(at, sent)).toEqual(outcome(absent))
    })
    test(`null is ${ofNull}`, async () => {
      app = await serve([fields])
      expect(await send(at, inJson(null))).toEqual(outcome(ofNull))
    })
    test(`'' of a form or of XML is ${emptyInput}`, async () => {
      app = await serve([fields])
      for (const sent of [{ form: { field: '' } }, inXml('<field></field>')])
        expect(await send(at, sent)).toEqual(outcome(emptyInput))
    })
    test(`'' in JSON is ${empty}`, async () => {
      app = await serve([fields])
      expect(await send(at, inJson(''))).toEqual(outcome(empty))
    })
    test(`a list, or none, is ${list}`, async () => {
      app = await serve([fields])
      const takes = async (field: unknown) => (await send(at, inJson(field))) !== 400
      const taken = [await takes(['7', '8']), await takes('x')]
      const [ofList, ofText] = taken
      if (list === '400 for a list') expect(ofList).toBe(false)
      else if (list === '400 unless it is a list') expect(taken).toEqual([true, false])
      else expect([list, ofList, ofText]).toEqual(['any value', true, true])
    })
  },
)
