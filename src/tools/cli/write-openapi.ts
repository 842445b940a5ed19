/** `fw openapi` and `fw client`: write the application's routes as an OpenAPI document or as a typed client. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { stringify } from 'yaml'
import { FwError } from '../../runtime/base.ts'
import {
  generateClient,
  describeApplication,
  shareComponents,
  type OpenApiDocument,
} from '../openapi.ts'
import { applicationRoot, inspectApplication } from './load-application.ts'
import { withProgress } from './terminal.ts'

interface OutputOptions {
  readonly app: string
  readonly output?: string
  readonly yaml?: boolean
}

/** Describes the application in the folder. Prints warnings to stderr about routes that OpenAPI cannot express. */
async function describe(app: string): Promise<OpenApiDocument> {
  const root = applicationRoot(app)
  const { document, notes } = await withProgress('describing the routes', async () => {
    const application = await inspectApplication(root)
    try {
      return await describeApplication(application, { sources: true })
    } finally {
      await application.close()
    }
  })
  for (const note of notes) process.stderr.write(`fw: not described: ${note}\n`)
  return document
}

/** Writes the text to the file `output`, creating its folder, or to stdout. @throws FwError `cli.output-failed` */
function writeOutput(text: string, output: string | undefined): void {
  if (output === undefined) {
    process.stdout.write(text)
    return
  }
  const file = resolve(output)
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  } catch (error) {
    throw new FwError(
      'cli.output-failed',
      `${file} cannot be written: ${(error as Error).message}. Name another one with --output.`,
      { cause: error },
    )
  }
  process.stdout.write(`${output} written\n`)
}

/** The level of operations and components: their members share a line. */
const lineLevel = 3

/** Formats a document with one line for each operation and each component. Indenting them too would add a third to its size. */
function formatJson(value: object, level = 0): string {
  if (level === lineLevel) return JSON.stringify(value)
  const indent = '  '.repeat(level)
  const join = (items: readonly string[], [open = '', close = '']: string): string =>
    items.length === 0
      ? open + close
      : `${open}\n${items.map((item) => `${indent}  ${item}`).join(',\n')}\n${indent}${close}`
  if (Array.isArray(value))
    return join(
      value.map((item) => JSON.stringify(item)),
      '[]',
    )
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    const isObject = typeof member === 'object' && member !== null
    return `${JSON.stringify(name)}: ${isObject ? formatJson(member, level + 1) : JSON.stringify(member)}`
  })
  return join(members, '{}')
}

/** Runs `fw openapi`. Writes YAML if `yaml` is set or the file's name ends in `.yaml` or `.yml`, else JSON. */
export async function writeOpenApi({ app, output, yaml }: OutputOptions): Promise<void> {
  const document = shareComponents(await describe(app))
  const isYaml = yaml === true || /\.ya?ml$/.test(output ?? '')
  writeOutput(
    isYaml ? stringify(document, { aliasDuplicateObjects: false }) : `${formatJson(document)}\n`,
    output,
  )
}

export async function writeClient({ app, output }: OutputOptions): Promise<void> {
  writeOutput(generateClient(await describe(app)), output)
}
