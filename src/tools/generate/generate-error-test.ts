/** Generates a test that repeats a request which failed in development. */
import { literal, memberName, quoted, type RequestRecord } from '../dev.ts'
import { fillFile } from './fill-template.ts'
import { commentText, formatMembers } from './format-code.ts'
import type { GeneratedFile } from './project.ts'

/** Generates the test of a failed request. The file's name contains the request and the id of its error. */
export function generateErrorTest(record: RequestRecord): GeneratedFile {
  const { method, path, session, flash, token } = record
  const words = `${method} ${path}`.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const slug = words.join('-').slice(0, 60)
  const id = record.id.replace(/[^A-Za-z0-9]/g, '').slice(0, 6)
  const given = formatMembers({
    attributes: session.length > 0 && formatPairs(session),
    flash: flash.length > 0 && formatPairs(flash),
  })
  const hasSession = given.length > 0 || token
  const sessionOptions = given.length === 0 ? '{}' : `{ ${given.join(', ')} }`
  const options = formatOptions(record)
  const code = [options, ...given].join('\n')
  return fillFile(`src/test/error/${slug}-${id.toLowerCase()}.test.ts`, 'small/error.test.ts', {
    comment: formatComment(record),
    rows: formatRows(record),
    temporalImport: /\bTemporal\./.test(code) ? "import { Temporal } from 'fwjs'" : '',
    name: quoted(`${method} ${path} succeeds`),
    visitor: hasSession ? `const visitor = app.session(${sessionOptions})` : '',
    client: hasSession ? 'visitor' : 'app',
    method: quoted(method),
    path: quoted(path),
    options,
  })
}

function formatComment(record: RequestRecord): string {
  const { method, path, error, at, id, omitted } = record
  const location = error.place === undefined ? '' : ` at ${error.place}`
  const lines = [
    `${commentText(`${method} ${path}`)} failed in development${commentText(location)}:`,
    commentText(`${error.name}: ${error.message}`),
    `Written by \`fw test:from-error ${id}\` from the request of ${at.slice(0, 10)}.`,
  ]
  if (omitted.length > 0)
    lines.push('', commentText(`Omitted or redacted; add what matters: ${omitted.join(', ')}.`))
  const missing = listMissing(record)
  if (missing.length > 0)
    lines.push(
      '',
      commentText(`The request queried ${missing.join(', ')}, whose rows are not recorded.`),
      'Insert those that it needs.',
    )
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */`
}

/** Returns the queried tables without a recorded row. Usually the request's statements found no rows in them. */
function listMissing({ tables, rows }: RequestRecord): readonly string[] {
  const recorded = new Set(rows.map(({ table }) => table.replaceAll('"', '')))
  return tables.filter((table) => !recorded.has(table))
}

/** Formats a call for each table. */
const formatRows = ({ rows }: RequestRecord): string =>
  rows
    .map(({ table, rows: all }) => {
      const lines = all.map((row) => `  ${formatRow(row)},\n`).join('')
      return `await app.insertRows(${quoted(table)}, [\n${lines}])`
    })
    .join('\n')

/** Formats a row on one line if it is short, else with a line for each value. */
function formatRow(row: RequestRecord['rows'][number]['rows'][number]): string {
  const line = literal(row)!
  if (line.length <= 90) return line
  const members = Object.entries(row).map(
    ([name, value]) => `    ${memberName(name)}: ${literal(value)!},\n`,
  )
  return `{\n${members.join('')}  }`
}

function formatOptions({ query, headers, form, json, text: body }: RequestRecord): string {
  // The test client sets the content type of `form` and `json` itself.
  const hasType = form !== undefined || json !== undefined
  const sent = headers
    .filter(([name]) => !hasType || name !== 'content-type')
    .map(([name, value]) => [name, quoted(value)] as const)
  const options = formatMembers({
    query: query.length > 0 && formatFields(query),
    headers: sent.length > 0 && formatPairs(sent),
    form: form && formatFields(form),
    json,
    body: body !== undefined && quoted(body),
  })
  return options.length === 0 ? '' : `, {\n${options.map((one) => `    ${one},\n`).join('')}  }`
}

type Pairs = RequestRecord['query']

/** Formats an object literal from names and code. */
const formatPairs = (members: Pairs): string =>
  `{ ${members.map(([name, code]) => `${memberName(name)}: ${code}`).join(', ')} }`

/** Formats fields as an object literal. The values of a repeated name become an array. */
function formatFields(fields: Pairs): string {
  const members = [...Map.groupBy(fields, ([name]) => name)].map(([name, all]) => {
    const codes = all.map(([, value]) => quoted(value))
    return [name, codes.length === 1 ? codes[0]! : `[${codes.join(', ')}]`] as const
  })
  return formatPairs(members)
}
