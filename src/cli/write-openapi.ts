/** `fw openapi` and `fw client`: the application's routes as a document, and as a typed client. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { stringify } from 'yaml'
import { startApplication } from '../app.ts'
import { FwError, silentLogger } from '../base.ts'
import { clientOf, describeApplication, type OpenApiDocument } from '../openapi.ts'
import { applicationRoot, loadLifeCycle } from './load-life-cycle.ts'
import { withProgress } from './progress.ts'

interface OutputOptions {
  readonly app: string
  readonly output?: string
}

interface OpenApiOptions extends OutputOptions {
  readonly yaml?: boolean
}

/** The document of the application in the folder. What it cannot say goes to stderr. */
async function documentOf(app: string): Promise<OpenApiDocument> {
  const root = applicationRoot(app)
  const { document, notes } = await withProgress('describing the routes', () => described(root))
  for (const note of notes) process.stderr.write(`fw: not described: ${note}\n`)
  return document
}

/** The application's database is not opened. */
async function described(root: string): ReturnType<typeof describeApplication> {
  const application = await startApplication(await loadLifeCycle(root), {
    root,
    logger: silentLogger,
    database: false,
  })
  try {
    return await describeApplication(application)
  } finally {
    await application.close()
  }
}

/** To the file, whose folder is made, else to stdout. @throws FwError `cli.output-failed` */
function put(text: string, output: string | undefined): void {
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

/** As JSON, or as YAML where that is asked for or the file's name says so. */
export async function writeOpenApi({ app, output, yaml }: OpenApiOptions): Promise<void> {
  const document = await documentOf(app)
  const isYaml = yaml === true || /\.ya?ml$/.test(output ?? '')
  put(
    isYaml
      ? stringify(document, { aliasDuplicateObjects: false })
      : `${JSON.stringify(document, undefined, 2)}\n`,
    output,
  )
}

/** One file of TypeScript. */
export async function writeClient({ app, output }: OutputOptions): Promise<void> {
  put(clientOf(await documentOf(app)), output)
}
