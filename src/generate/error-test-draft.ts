/** The test that sends a request which failed in development again. */
import { memberName, quoted, type RequestRecord } from '../dev.ts'
import { told } from './code-text.ts'
import type { Draft } from './draft.ts'

/** Below `src/test`, named after the request and its error's id. */
export function errorTestDraft(record: RequestRecord): Draft {
  const words = `${record.method} ${record.path}`.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const slug = words.join('-').slice(0, 60)
  const id = record.id
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 6)
    .toLowerCase()
  return { path: `src/test/error/${slug}-${id}.test.ts`, text: text(record) }
}

function text(record: RequestRecord): string {
  const code = call(record)
  const temporal = /\bTemporal\./.test(code) ? "import { Temporal } from 'fwjs'\n" : ''
  return `${comment(record)}
import assert from 'node:assert/strict'
import { it } from 'node:test'
${temporal}import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'

// The error is thrown here as it was thrown there.
const app = await testApp(Bootstrap, { throwFaults: true })

it(${quoted(`${record.method} ${record.path} is answered`)}, async () => {
${code}
  assert.ok(page.status < 500)
})
`
}

function comment({ method, path, error, at, id, left, tables }: RequestRecord): string {
  const where = error.place === undefined ? '' : ` at ${error.place}`
  const lines = [
    `${told(`${method} ${path}`)} failed in development${told(where)}:`,
    told(`${error.name}: ${error.message}`),
    `Written by \`fw test:from-error ${id}\`, of ${at.slice(0, 10)}.`,
  ]
  if (left.length > 0)
    lines.push(
      '',
      told(`Left out or hidden, to be filled in where it matters: ${left.join(', ')}.`),
    )
  if (tables.length > 0)
    lines.push(
      '',
      told(`The request asked of ${tables.join(', ')}: a test begins with tables that are empty.`),
      'Write the rows that it needs before it is sent.',
    )
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */`
}

function call(record: RequestRecord): string {
  const { method, path, session, flash, token } = record
  const given = [
    ...(session.length > 0 ? [`attributes: ${object(session)}`] : []),
    ...(flash.length > 0 ? [`flash: ${object(flash)}`] : []),
  ]
  const hasSession = given.length > 0 || token
  const visitor = hasSession
    ? `  const visitor = app.session({${given.length === 0 ? '' : ` ${given.join(', ')} `}})\n`
    : ''
  const options = optionsOf(record)
  const sent = `request(${quoted(method)}, ${quoted(path)}${options})`
  return `${visitor}  const page = await ${hasSession ? 'visitor' : 'app'}.${sent}`
}

function optionsOf({ query, headers, form, json, text: body }: RequestRecord): string {
  // The test's own form and JSON say what they are.
  const own = form !== undefined || json !== undefined
  const kept = headers.filter(([name]) => !own || name !== 'content-type')
  const lines = [
    ...(query.length > 0 ? [`query: ${fields(query)},`] : []),
    ...(kept.length > 0 ? [`headers: ${object(kept.map(asCode))},`] : []),
    ...(form === undefined ? [] : [`form: ${fields(form)},`]),
    ...(json === undefined ? [] : [`json: ${json},`]),
    ...(body === undefined ? [] : [`body: ${quoted(body)},`]),
  ]
  return lines.length === 0 ? '' : `, {\n${lines.map((line) => `    ${line}\n`).join('')}  }`
}

type Pairs = RequestRecord['query']

const asCode = ([name, value]: Pairs[number]): Pairs[number] => [name, quoted(value)]

/** Values that are code already. */
function object(pairs: Pairs): string {
  const members = pairs.map(([name, code]) => `${memberName(name)}: ${code}`)
  return `{ ${members.join(', ')} }`
}

/** Names that came several times have a list. */
function fields(pairs: Pairs): string {
  const byName = Map.groupBy(pairs, ([name]) => name)
  return object(
    [...byName].map(([name, all]) => {
      const codes = all.map(([, value]) => quoted(value))
      return [name, codes.length === 1 ? codes[0]! : `[${codes.join(', ')}]`]
    }),
  )
}
