/**
 * Tests the launcher `fw` without a network: a temporary folder with the launcher, its own PATH, and fake programs node
 * and npm.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

const tools =
  'basename cat chmod cmp cp cut dirname grep gzip ln mkdir mktemp mv readlink rm sh sha512sum shasum sleep tar uname'

const run = (command: string, args: readonly string[], cwd: string) => {
  const done = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.stderr}`)
}

export class LauncherBench implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'fw-launcher-'))
  readonly bin = join(this.folder, 'bin')
  readonly app = join(this.folder, 'app')
  readonly cache = join(this.folder, 'cache')

  constructor() {
    mkdirSync(this.bin)
    mkdirSync(join(this.app, 'node_modules/fwjs/dist/tools/cli'), { recursive: true })
    cpSync('fw', join(this.app, 'fw'))
    this.write('package.json', '{ "name": "shop" }\n')
    this.write('package-lock.json', '{ "packages": {} }\n')
    this.write('node_modules/fwjs/dist/tools/cli/main.js', '')
    for (const tool of tools.split(' ')) this.#link(tool)
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  path(file: string): string {
    return join(this.app, file)
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(this.path(file)), { recursive: true })
    writeFileSync(this.path(file), text)
  }

  read(file: string): string {
    return readFileSync(this.path(file), 'utf8')
  }

  /** Writes a shell script to a folder of the PATH. */
  program(name: string, text: string, folder = this.bin): string {
    const file = join(folder, name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, `#!/bin/sh\n${text}\n`)
    chmodSync(file, 0o755)
    return file
  }

  /** Writes a fake node that prints its version or its arguments; `-e` runs the real Node. */
  node(version: string, folder = this.bin): string {
    const script = `case $1 in --version) echo v${version} ;; -e) exec ${process.execPath} "$@" ;; *) echo "node ${version}: $*" ;; esac`
    return this.program('node', script, folder)
  }

  /** Writes a fake npm that logs its calls to npm.log and creates node_modules. */
  npm(text = 'mkdir -p node_modules'): void {
    this.program('npm', `echo "npm $*" >> '${this.path('npm.log')}'\n${text}`)
  }

  npmCalls(): string[] {
    return existsSync(this.path('npm.log')) ? this.read('npm.log').trim().split('\n') : []
  }

  /** Records that node_modules is installed from the current lockfile, as the launcher does. */
  stamp(): void {
    cpSync(this.path('package-lock.json'), this.path('node_modules/.fw-lock.json'))
  }

  /**
   * Writes a fake npm whose command `pack` creates a package that contains Node of this version. Returns the sha512 of
   * the package.
   */
  registry(version: string): string {
    const built = join(this.folder, 'built')
    this.node(version, join(built, 'package/bin'))
    const tarball = join(built, 'node.tgz')
    run('tar', ['-czf', tarball, '-C', built, 'package'], this.folder)
    this.npm(
      `while [ $# -gt 0 ]; do [ "$1" = --pack-destination ] && cp '${tarball}' "$2"; shift; done`,
    )
    return createHash('sha512').update(readFileSync(tarball)).digest('hex')
  }

  /** Replaces the sha512 sums in the launcher, so that it accepts the fake package. */
  pin(sha512: string): void {
    this.write('fw', this.read('fw').replaceAll(/\b[0-9a-f]{128}\b/g, sha512))
    chmodSync(this.path('fw'), 0o755)
  }

  start(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    const done = spawnSync(join(this.app, 'fw'), args, {
      cwd: this.folder,
      encoding: 'utf8',
      env: this.#env(env),
    })
    return { pid: done.pid, status: done.status, stdout: done.stdout, stderr: done.stderr }
  }

  /** Starts the launcher without waiting for its end. `ended` resolves to the exit code. */
  spawn(args: readonly string[]) {
    const child = spawn(join(this.app, 'fw'), args, { cwd: this.folder, env: this.#env({}) })
    const ended = once(child, 'exit').then(([code]) => code as number)
    let stderr = ''
    const waitForStderr = (text: string) =>
      new Promise<void>((resolve) => {
        child.stderr.on('data', (chunk: Buffer) => {
          stderr += String(chunk)
          if (stderr.includes(text)) resolve()
        })
      })
    return { ended, waitForStderr }
  }

  #env(extra: Readonly<Record<string, string>>) {
    return { PATH: this.bin, HOME: this.folder, XDG_CACHE_HOME: this.cache, ...extra }
  }

  #link(tool: string): void {
    const folders = (process.env['PATH'] ?? '').split(delimiter)
    const found = folders.map((folder) => join(folder, tool)).find((file) => existsSync(file))
    if (found !== undefined) symlinkSync(found, join(this.bin, tool))
  }
}
