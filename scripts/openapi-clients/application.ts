/** Creates and runs the application for the scripts that try OpenAPI documents. */
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { typeNames } from '../../src/tools/generate/field-type.ts'
import { generate, linkSources, newFolder, removeFolder } from '../../test/generate/folder.ts'
import { visibleEnvironment } from '../../test/support/environment.ts'

const repository = resolve(import.meta.dirname, '../..')
const fwCommand = join(repository, 'dist/tools/cli/main.js')

/** Generates an application with a scaffold that has every type, and an API of tasks. */
export function createApplication() {
  const root = newFolder()
  linkSources(root)
  const types = typeNames.filter((type) => !['enum', 'references', 'attachment'].includes(type))
  const kinds = types.map((type) => `the${type}:${type}?`).join(' ')
  generate(root, 'model company name:String')
  generate(
    root,
    `scaffold things thing name:String ${kinds} status:enum:draft,published company:references? photo:attachment?`,
  )
  generate(
    root,
    'api-resource tasks task text:String done:Boolean due:LocalDate? count:Int price:BigDecimal? state:enum:open,closed tags:String[] data:Json? at:DateTime?',
  )
  return { root, remove: () => removeFolder(root) }
}

function startFw(root: string, ...args: string[]) {
  const child = spawn(process.execPath, [fwCommand, ...args], {
    cwd: root,
    env: visibleEnvironment(),
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = new Promise<number | null>((done) => void child.once('close', done))
  return { child, ended, output: () => output }
}

/** Runs a command of the built package in the folder. @throws Error with its output, if the command fails */
export async function runFw(root: string, ...args: string[]): Promise<void> {
  const { ended, output } = startFw(root, ...args)
  if ((await ended) !== 0) throw new Error(output())
}

/** Runs the application. Resolves to its address, the id of its process, and a function that stops it. */
export async function runApplication(root: string) {
  const { child, ended, output } = startFw(root, 'run', '--port', '0')
  const url = await new Promise<string>((listening, failed) => {
    void ended.then(() => failed(new Error(output())))
    child.stdout.on('data', () => {
      const found = /listening on (http:\S+)/.exec(output())?.[1]
      if (found !== undefined) listening(found)
    })
  })
  return {
    url,
    pid: child.pid!,
    async stop(): Promise<void> {
      child.kill()
      await ended
    },
  }
}
