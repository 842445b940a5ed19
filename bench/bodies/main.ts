/**
 * Measures how long the most expensive bodies within the default limits hold the event loop: the processor time of the
 * main thread between two turns of the loop, the median of the rounds. Then measures how much of the time of reading ordinary
 * JSON is the search for numbers that would lose digits. `npm run bench -- bodies [rounds=9]`
 */
import { fieldsFromJson, parseJson } from '../../src/runtime/http/json.ts'
import { mayHaveLongNumber } from '../../src/runtime/http/json-number.ts'
import { parseQuery } from '../../src/runtime/http/query.ts'
import { parseXml } from '../../src/runtime/http/xml.ts'

const rounds = Number(process.argv[2] ?? 9)
const mebibyte = 2 ** 20

/** `part` repeated by `count`, at most a mebibyte. */
const repeat = (part: string, count: number, separator = ''): string =>
  Array(Math.min(count, Math.floor((mebibyte - 100) / (part.length + separator.length))))
    .fill(part)
    .join(separator)
const many = (count: number, write: (at: number) => string, separator = ','): string =>
  Array.from({ length: count }, (_, at) => write(at)).join(separator)
const readJson = (text: string): unknown => fieldsFromJson(parseJson(text))
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

type Case = readonly [what: string, body: string, read: (text: string) => unknown]

const cases: readonly Case[] = [
  ['JSON: 8,000 lists nested 60 deep', `{"a":[${repeat(nested(60), 8000, ',')}]}`, readJson],
  ['JSON: 166 lists nested 60 deep', `{"a":[${repeat(nested(60), 166, ',')}]}`, readJson],
  ['JSON: 340,000 empty lists', `{"a":[${repeat('[]', 340_000, ',')}]}`, readJson],
  ['JSON: 9,998 empty lists', `{"a":[${repeat('[]', 9998, ',')}]}`, readJson],
  ['JSON: 99,000 numbers', `{"a":[${repeat('1.2345e-7', 99_000, ',')}]}`, readJson],
  [
    'JSON: 55,000 numbers of 17 digits',
    `{"a":[${repeat('0.12345678901234567', 55_000, ',')}]}`,
    readJson,
  ],
  [
    'JSON: 55,000 numbers that lose digits',
    `{"a":[${repeat('1234567890.1234567', 55_000, ',')}]}`,
    readJson,
  ],
  ['JSON: 99,000 huge exponents', `{"a":[${repeat('1e400', 99_000, ',')}]}`, readJson],
  ['JSON: 520,000 numbers', `{"a":[${repeat('1', 520_000, ',')}]}`, readJson],
  ['JSON: 14,999 keys', `{${many(14_999, (at) => `"k${at}":1`)}}`, readJson],
  ['JSON: 14,999 escaped keys', `{${many(14_999, (at) => `"\\u006b${at}":1`)}}`, readJson],
  ['JSON: a text of escapes', `{"a":"${repeat('\\u0041', 170_000)}"}`, readJson],
  ['XML: 250,000 references', `<a>${repeat('&lt;', 250_000)}</a>`, parseXml],
  ['XML: 9,999 references', `<a>${repeat('&lt;', 9999)}</a>`, parseXml],
  ['XML: 85,000 CDATA sections', `<a>${repeat('<![CDATA[]]>', 85_000)}</a>`, parseXml],
  ['XML: 9,999 CDATA sections', `<a>${repeat('<![CDATA[]]>', 9999)}</a>`, parseXml],
  ['XML: 9,999 elements', `<a>${repeat('<b/>', 9999)}</a>`, parseXml],
  ['XML: lines', `<a>${repeat('\r\n', 500_000)}</a>`, parseXml],
  ['XML: text outside the basic plane', `<a>${repeat('😀', 250_000)}</a>`, parseXml],
  ['form: 1,000 fields', many(1000, (at) => `k${at}=${repeat('%41', 300)}`, '&'), parseQuery],
  ['form: 10,000 fields', many(10_000, (at) => `k${at}=1`, '&'), parseQuery],
]

const processorTime = (): number => process.threadCpuUsage().user / 1000

/** The longest hold in milliseconds, and whether the body was refused. */
async function measure([, body, read]: Case): Promise<[hold: number, refused: boolean]> {
  let longest = 0
  let last = processorTime()
  let isOver = false
  const turn = (): void => {
    const now = processorTime()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const refused = await Promise.resolve(body)
    .then(read)
    .then(
      () => false,
      () => true,
    )
  isOver = true
  turn()
  return [longest, refused]
}

for (const one of cases) {
  const holds: number[] = []
  let outcome = ''
  for (let round = 0; round < rounds; round++) {
    const [hold, refused] = await measure(one)
    holds.push(hold)
    outcome = refused ? 'refused' : 'read'
  }
  const sorted = holds.toSorted((left, right) => left - right)
  const median = sorted[Math.floor(rounds / 2)]!
  console.log(
    `${median.toFixed(1).padStart(6)} ms (${sorted[0]!.toFixed(1)} to ${sorted.at(-1)!.toFixed(1)})  ${outcome.padEnd(7)}  ${one[0]}`,
  )
}

const record = (id: number) => ({
  id,
  name: 'Ada Lovelace',
  birthday: '1815-12-10',
  price: 12.5,
  notes: 'Wrote the first program.',
  active: true,
})

/** Bodies without a long number. */
const ordinary: readonly (readonly [what: string, body: string])[] = [
  ['a record', JSON.stringify(record(7))],
  ['100 records', JSON.stringify({ list: Array.from({ length: 100 }, (_, at) => record(at)) })],
  ['a text of 100 KB', JSON.stringify({ text: repeat('Lorem ipsum dolor sit amet, ', 3_600) })],
  ['900 numbers', JSON.stringify({ list: Array.from({ length: 900 }, (_, at) => at / 8) })],
]

/** The processor time in milliseconds of reading about 32 MiB. */
function time(body: string, read: (text: string) => unknown): number {
  const begun = processorTime()
  for (let bytes = 0; bytes < 32 * mebibyte; bytes += body.length) read(body)
  return processorTime() - begun
}

for (const [what, body] of ordinary) {
  const shares: number[] = []
  for (let round = 0; round < rounds + 1; round++) {
    const share = time(body, mayHaveLongNumber) / time(body, readJson)
    // The first round compiles the functions.
    if (round > 0) shares.push(share * 100)
  }
  shares.sort((left, right) => left - right)
  const [median, least, most] = [shares[Math.floor(rounds / 2)]!, shares[0]!, shares.at(-1)!]
  console.log(
    `${median.toFixed(1).padStart(6)} % (${least.toFixed(1)} to ${most.toFixed(1)})  search for long numbers in JSON: ${what}`,
  )
}
