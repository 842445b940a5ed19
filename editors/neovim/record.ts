/**
 * Records a session of `fw lsp` in Neovim: `node --conditions=fwjs-source editors/neovim/record.ts` writes a PNG of each step. It
 * needs neovim 0.7, tmux and firefox-esr, as Debian 12 has them, and the built package.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { copyExample, removeApplication, webInf } from '../../test/lsp/editor.ts'

const folder = import.meta.dirname
const [columns, rows] = [112, 24]

const tmux = (...args: readonly string[]): string =>
  execFileSync('tmux', ['-L', 'fw-record', ...args], { encoding: 'utf8' })

/** Sends keys, such as `Escape`; a text in quotes is typed. */
function type(...keys: readonly string[]): void {
  for (const key of keys)
    if (key.startsWith("'")) tmux('send-keys', '-t', '0', '-l', key.slice(1, -1))
    else tmux('send-keys', '-t', '0', key)
}

const screen = (): string => tmux('capture-pane', '-e', '-p', '-t', '0')

/** Waits until the screen contains a text and does not change any more. */
async function waitFor(text: string): Promise<string> {
  for (let last = '', time = 0; time < 60_000; time += 400) {
    const now = screen()
    if (now === last && plain(now).includes(text)) return now
    last = now
    await sleep(400)
  }
  throw new Error(`Neovim does not show ${text}:\n${plain(screen())}`)
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const codes = /\u001b\[([\d;]*)m/g
const plain = (text: string): string => text.replace(codes, '')
const palette = '#45475a #f38ba8 #a6e3a1 #f9e2af #89b4fa #f5c2e7 #94e2d5 #bac2de'.split(' ')

/** Converts the escape sequences of colors to CSS. */
function styleOf(parameters: string, style: Map<string, string>): void {
  const numbers = parameters.split(';').map(Number)
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at]!
    const property = code >= 40 && code < 50 ? 'background' : 'color'
    if (code === 0) style.clear()
    else if (code === 1) style.set('font-weight', 'bold')
    else if (code === 39 || code === 49) style.delete(property)
    else if (code === 38 || code === 48) {
      style.set(property, `rgb(${numbers.slice(at + 2, at + 5).join()})`)
      at += 4
    } else if (code === 7) style.set('background', '#585b70')
    else if (code === 27) style.delete('background')
    else if ((code >= 30 && code < 38) || (code >= 40 && code < 48))
      style.set(property, palette[code % 10]!)
    else if (code >= 90 && code < 98) style.set('color', palette[code - 90]!)
  }
}

function toHtml(ansi: string): string {
  const style = new Map<string, string>()
  const spans = ansi.split(/(?=\u001b\[[\d;]*m)/).map((part) => {
    const [sequence = '', parameters] = /^\u001b\[([\d;]*)m/.exec(part) ?? []
    if (parameters !== undefined) styleOf(parameters, style)
    const css = [...style].map((entry) => entry.join(':')).join(';')
    return `<span style="${css}">${escape(part.slice(sequence.length))}</span>`
  })
  const look = 'background:#1e1e2e;color:#cdd6f4;font:15px/20px monospace'
  return `<!doctype html><meta charset="utf-8"><body style="margin:0;${look}"><pre style="margin:12px;font:inherit">${spans.join('')}</pre>`
}

function save(name: string, ansi: string): void {
  const temporary = mkdtempSync(join(tmpdir(), 'fw-frame-'))
  const page = join(temporary, 'frame.html')
  writeFileSync(page, toHtml(ansi))
  const size = `--window-size=${columns * 9 + 40},${rows * 20 + 24}`
  const profile = ['--profile', temporary, '--headless', size]
  execFileSync(
    'firefox-esr',
    [...profile, '--screenshot', join(folder, `${name}.png`), `file://${page}`],
    {
      stdio: 'ignore',
    },
  )
  rmSync(temporary, { recursive: true, force: true, maxRetries: 10 })
}

const root = copyExample('members')
copyFileSync('templates/application/tsconfig.json.tpl', join(root, 'tsconfig.json'))
const file = `${webInf}/views/members/_list.html.ssp`
const command = `cd ${root} && TERM=tmux-256color nvim -u ${folder}/init.lua ${file}`
try {
  tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), command)
  await waitFor('/table')
  type("'/member.name'", 'Enter', "'O'", "'<p>${member.nam}</p>'", 'Escape')
  save('1-mistake', await waitFor("Did you mean 'name'?"))
  type('0', "'f{lC'", "'member.'", 'C-x', 'C-o')
  save('2-completion-in-a-broken-template', await waitFor('countryId'))
  type('Escape', 'u', 'u', "'/member.name'", 'Enter', "'f.l'", 'K')
  save('3-hover', await waitFor('(property) name: string'))
  type('Escape', 'j', 'k', '\':lua vim.lsp.buf.rename("fullName")\'', 'Enter')
  await waitFor('member.fullName')
  type("':split | buffer member.ts'", 'Enter')
  save('4-rename-in-template-and-model', await waitFor('fullName: ParamType.String'))
} finally {
  tmux('kill-server')
  removeApplication(root)
}
