/** Walks through docs/apis.md: runs its commands, writes its files, and compares the outputs that it shows. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { visibleEnvironment } from '../support/environment.ts'
import { runApplication } from '../support/running-application.ts'
import { fwCommand } from '../support/environment.ts'
import { emptyFolder, linkSources, removeFolder } from './folder.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs', 'apis.md'), 'utf8')
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map((found) => ({
  language: found[1]!,
  text: found[2]!,
}))

const shownAddress = 'http://127.0.0.1:8080'
const quote = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ')
const fw = quote([process.execPath, ...fwCommand])

/** A terminal of the reader: keeps the variable TOKEN from block to block. */
class Terminal {
  cwd: string
  /** The address of the running application, in place of the page's. */
  url = shownAddress
  #token = ''

  constructor(cwd: string) {
    this.cwd = cwd
  }

  /** Runs the lines of a block. Returns the exit code, the output of the last line, and the errors. */
  run(block: string) {
    const script = block
      .replaceAll('./fw new ', `${fw} new --fwjs 0.1.0 `)
      .replaceAll('./fw ', `${fw} `)
      .replaceAll(shownAddress, this.url)
      .replace(/(?<=^|\s)node /gm, `'${process.execPath}' `)
    const { status, output } = spawnSync(
      'bash',
      ['-c', `set -e -o pipefail\n${script}\nprintf %s "$TOKEN" >&3`],
      {
        cwd: this.cwd,
        encoding: 'utf8',
        env: { ...visibleEnvironment(), CHROMIUM: '', TOKEN: this.#token },
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      },
    )
    const [, stdout, stderr, token] = output.map((text) => text ?? '')
    if (status === 0) this.#token = token!
    return { status, stdout: stdout!, stderr: stderr! }
  }
}

/** The shown document, where `"…"` is any text. */
const expectedJson = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown) => (value === '…' ? expect.any(String) : value))

/** What a block prints, in the form of the block that shows it. */
function readOutput(stdout: string, language: string | undefined): unknown {
  if (language === 'text') return stdout
  if (language !== 'json') return undefined
  try {
    return JSON.parse(stdout)
  } catch {
    return stdout
  }
}

const hasCurl = /^curl (?:7\.(?:8[2-9]|9)|[89]|\d\d)/.test(
  spawnSync('curl', ['--version'], { encoding: 'utf8' }).stdout ?? '',
)

test.skipIf(!hasCurl)(
  'the page leads from an empty folder to a documented, authenticated, tested API',
  async () => {
    const folder = emptyFolder()
    onTestFinished(() => removeFolder(folder))
    const clone = join(folder, 'clone')
    mkdirSync(clone)
    const terminal = new Terminal(clone)
    for (const [at, { language, text }] of blocks.entries()) {
      if (language === 'ts') {
        const [line, path] = /^\/\/ (\S+)\n/.exec(text)!
        mkdirSync(dirname(join(terminal.cwd, path!)), { recursive: true })
        const code = text.slice(line.length).replaceAll(shownAddress, terminal.url)
        writeFileSync(join(terminal.cwd, path!), code)
      } else if (text === './fw run\n') {
        terminal.url = (await runApplication(terminal.cwd)).url
      } else if (language === 'sh') {
        const shown = blocks[at + 1]
        const expected =
          shown?.language === 'json'
            ? expectedJson(shown.text)
            : shown?.language === 'text'
              ? shown.text
              : undefined
        // The running application may not have noticed the last change yet.
        await expect
          .poll(
            () => {
              const { status, stdout, stderr } = terminal.run(text)
              const output = readOutput(stdout, shown?.language)
              return status === 0 ? { text, output } : { text, status, stdout, stderr }
            },
            { timeout: 40_000, interval: 200 },
          )
          .toEqual({ text, output: expected })
        if (terminal.cwd === clone) {
          terminal.cwd = join(folder, 'my-api')
          linkSources(terminal.cwd)
        }
      }
    }
  },
  300_000,
)
