/** Serves the controllers, views and messages of a test without a socket. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { FwServer, type Mountable } from '../../src/runtime/app.ts'
import { TestClient, Visitor } from '../../src/tools/testing/client.ts'
import type { ErrorReporter } from '../../src/runtime/action.ts'
import type { LogFields, Logger } from '../../src/runtime/base.ts'
import { Configuration, FwEnv } from '../../src/runtime/config.ts'
import { generateViews } from '../../src/templates/compile.ts'
// Registers the template compiler, which development mode needs.
import '../../src/view.ts'

export interface LogLine {
  readonly level: string
  readonly fields: LogFields
  readonly message: string
}

/** Returns a logger that appends each log line to `lines`. */
export function recordingLogger(lines: LogLine[]): Logger {
  const at = (level: string) => (fields: LogFields, message: string) => {
    lines.push({ level, fields, message })
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export interface ServeOptions {
  /** The files of the application: path relative to its root → text. */
  readonly files?: Readonly<Record<string, string>>
  readonly configuration?: Readonly<Record<string, unknown>>
  /** The name of the environment; default `test`. */
  readonly environment?: string
  readonly errorReporter?: ErrorReporter
}

/** Creates a temporary folder with the given files. It is deleted when the test ends. */
export function temporaryFolder(files: Readonly<Record<string, string>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'fw-test-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

/** Mounts the controllers in order and returns a client for them. The application stops when the test ends. */
export async function serve(
  controllers: readonly (Mountable | [Mountable, string])[],
  options: ServeOptions = {},
) {
  const lines: LogLine[] = []
  const root = temporaryFolder({ 'package.json': '{ "type": "module" }', ...options.files })
  if (options.files !== undefined) {
    symlinkSync(join(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'))
    generateViews({ root })
  }
  const server = new FwServer({
    root,
    logger: recordingLogger(lines),
    configuration: Configuration.from(
      options.configuration ?? {},
      options.environment === undefined ? undefined : new FwEnv(options.environment),
    ),
    ...(options.errorReporter && { errorReporter: options.errorReporter }),
  })
  for (const one of controllers) {
    if (Array.isArray(one)) server.mount(...one)
    else server.mount(one)
  }
  const app = await server.start()
  onTestFinished(() => app.close())
  return Object.assign(new TestClient(app.fetch), {
    lines,
    visitor: () => new Visitor(app.fetch),
    app,
  })
}

/**
 * Returns true if the count increases while the server handles twenty other requests. Work that the server does not
 * delay makes progress in that time, even on a busy machine.
 */
export async function makesProgress(url: string, count: () => number): Promise<boolean> {
  const before = count()
  for (let sent = 0; sent < 20; sent++) await (await fetch(`${url}/nowhere`)).text()
  return count() > before
}
