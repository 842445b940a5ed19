/** Serves controllers, views and messages of a test without a socket. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { FwServer, type Mountable } from '../../src/server.ts'
import { TestClient, Visitor } from '../../src/testing/client.ts'
import type { LogFields, Logger } from '../../src/base.ts'
import { Configuration } from '../../src/config.ts'
import { generateViews } from '../../src/view.ts'

export interface LogLine {
  readonly level: string
  readonly fields: LogFields
  readonly message: string
}

/** Keeps what is logged. */
export function recordingLogger(lines: LogLine[]): Logger {
  const at = (level: string) => (fields: LogFields, message: string) => {
    lines.push({ level, fields, message })
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export interface ServeOptions {
  /** Files by path from the application's root. */
  readonly files?: Readonly<Record<string, string>>
  readonly configuration?: Readonly<Record<string, unknown>>
}

/** A folder that goes when the test ends. */
export function temporaryFolder(files: Readonly<Record<string, string>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'fw-test-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

/** The controllers behind a client, in mount order; ends with the test. */
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
    configuration: Configuration.from(options.configuration ?? {}),
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
 * True when the count grows while the server of `url` answers twenty other requests, one after the other: whatever is
 * not held back gets its turn meanwhile, however busy the machine.
 */
export async function goesOn(url: string, count: () => number): Promise<boolean> {
  const before = count()
  for (let asked = 0; asked < 20; asked++) await (await fetch(`${url}/nowhere`)).text()
  return count() > before
}
