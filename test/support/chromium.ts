/** Finds a Chromium on this machine and starts it headless. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Browser } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const quiet = ['--disable-quic', '--disable-background-networking', '--disable-component-update']

/** Its path: `CHROMIUM` first, then PATH; undefined when the machine has none. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const candidates = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  return process.env['CHROMIUM'] ?? candidates.find((file) => existsSync(file))
}

/** Chromium refuses its sandbox to root, so root goes without. */
export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined)
    throw new Error('There is no Chromium on PATH; set CHROMIUM to one.')
  const { chromium } = await import('playwright-core')
  return chromium.launch({
    executablePath,
    chromiumSandbox: process.getuid?.() !== 0,
    args: [...quiet, ...args],
  })
}
