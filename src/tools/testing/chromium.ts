/** Finds a Chromium on this machine and starts it headless. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { FwError } from '../../runtime/base.ts'

/** The executables to search for. The headless shell is first, because it starts several times as fast as a full Chromium. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]
const flags = [
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-gpu',
]

/** Finds a Chromium: the path in the variable `CHROMIUM` (empty means none), else one of the usual names on PATH. */
export function findChromium(): string | undefined {
  const path = process.env['CHROMIUM']
  if (path !== undefined) return path === '' ? undefined : path
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return candidates.find((file) => existsSync(file))
}

/**
 * Starts a headless Chromium through the package playwright-core.
 * @throws FwError `testing.no-browser`
 */
export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  const reason = await missingBrowser()
  if (reason !== false) throw new FwError('testing.no-browser', reason)
  const { chromium } = await import('playwright-core')
  return chromium.launch({
    executablePath: findChromium()!,
    // Chromium refuses to run its sandbox as root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [...flags, ...args],
  })
}

/** Returns the reason why no browser can be started; false if a browser can be started. */
export async function missingBrowser(): Promise<string | false> {
  try {
    await import('playwright-core')
  } catch {
    return 'playwright-core is not installed. For browser tests: npm install --save-dev playwright-core'
  }
  if (findChromium() !== undefined) return false
  return 'There is no Chromium on PATH. For browser tests install one, or set CHROMIUM to its path.'
}
