/** A generated application with a resource, sessions in PostgreSQL and an upload page, built and started like in production. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sessionMigrationText } from 'fwjs/session'
import { emptyDatabaseOn } from '../../src/runtime/db/test-server.fixture.ts'
import { change, removeFolder, visibleEnvironment } from '../../test/generate/folder.ts'
import { buildPackage } from '../build.ts'
import { buildAndMigrate, createApplication } from '../create-application.ts'
import type { Sample } from './probe.ts'

const uploadsController = `
import { FileUploadFeature, mix, routes } from 'fwjs'
import { ApplicationController } from './application-controller.ts'

export class UploadsController extends mix(ApplicationController, FileUploadFeature) {
  upload() {
    return String(this.fileParams.get('file')?.size)
  }
}

export const uploads = routes(UploadsController, (r) => ({
  uploadUrl: r.post('/uploads', 'upload').as('upload'),
}))
`

const settings = `
secretKeyBase: \${SECRET_KEY_BASE}
server:
  hosts: localhost
accessLog:
  enabled: false
upload:
  location: uploads
`

/** Writes the application's files. */
function createFiles(): string {
  const root = createApplication('scaffold notes note title:string body:text')
  writeFileSync(join(root, 'db/migration/V1__sessions.sql'), sessionMigrationText())
  const sources = 'src/main'
  writeFileSync(join(root, sources, 'controller/uploads-controller.ts'), uploadsController)
  const controllers = join(sources, 'controller/controllers.ts')
  change(root, controllers, 'import', `import { uploads } from './uploads-controller.ts'\nimport`)
  change(root, controllers, '= { root', '= { uploads, root')
  const bootstrap = join(sources, 'bootstrap.ts')
  change(root, bootstrap, 'FwLifeCycle, M', 'FwLifeCycle, FwSessionInitializer, M')
  const mount = 'new MethodOverride().mount(ctx)'
  change(
    root,
    bootstrap,
    mount,
    `new FwSessionInitializer().mount(ctx, '/*')\n    controllers.uploads.mount(ctx)\n    ${mount}`,
  )
  writeFileSync(join(root, sources, 'resources/application.yml'), settings)
  mkdirSync(join(root, 'uploads'))
  return root
}

export class SoakApplication {
  readonly port: number
  /** Counts of log lines. */
  readonly lines: ReadonlyMap<string, number>
  readonly #root: string
  readonly #child: ChildProcess
  readonly #drop: () => Promise<void>

  private constructor(
    root: string,
    child: ChildProcess,
    port: number,
    lines: ReadonlyMap<string, number>,
    drop: () => Promise<void>,
  ) {
    this.#root = root
    this.#child = child
    this.port = port
    this.lines = lines
    this.#drop = drop
  }

  static async start(): Promise<SoakApplication> {
    buildPackage()
    const root = createFiles()
    const { url, drop } = await emptyDatabaseOn('soak')
    const env = {
      FW_ENV: 'production',
      DATABASE_URL: url,
      SECRET_KEY_BASE: 'DZb2p0xw3RkT9uVnQmYc7sLhEa1JgXo5',
    }
    await buildAndMigrate(root, env)
    const probe = ['--expose-gc', `--import=${join(import.meta.dirname, 'probe.ts')}`]
    const main = join(root, 'node_modules/fwjs/dist/tools/cli/main.js')
    const args = [...probe, main, 'start', '--port', '0']
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...visibleEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    const lines = new Map<string, number>()
    return new SoakApplication(root, child, await readPort(child, lines), lines, drop)
  }

  async sample(): Promise<Sample> {
    this.#child.send('sample')
    const [sample] = (await once(this.#child, 'message')) as [Sample]
    return sample
  }

  /** The number of temporary files of uploads. */
  countFiles(): number {
    const folder = join(this.#root, 'uploads')
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile() && entry.name !== 'pid').length
  }

  /** Returns the exit code. */
  async stop(): Promise<number | null> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const [code] = (await exited) as [number | null]
    await this.#drop()
    await removeFolder(this.#root)
    return code
  }
}

/** The port of the log line at the start. Counts the later lines by level, message and code. */
function readPort(child: ChildProcess, lines: Map<string, number>): Promise<number> {
  return new Promise((resolve, reject) => {
    let isListening = false
    let output = ''
    child.once('exit', () => reject(new Error(output)))
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      if (isListening) return countLines(text, lines)
      output += text
      const port = /http:\/\/[^:]+:(\d+)/.exec(output)?.[1]
      if (port === undefined) return
      isListening = true
      resolve(Number(port))
    })
  })
}

function countLines(text: string, lines: Map<string, number>): void {
  for (const [json, level, message] of text.matchAll(/^\{"level":"(\w+)",.*?"msg":"([^"]*)".*/gm)) {
    const [, code] = /"code":"([^"]*)"/.exec(json) ?? []
    const line = `${level}: ${message}${code === undefined ? '' : ` (${code})`}`
    lines.set(line, (lines.get(line) ?? 0) + 1)
  }
}
