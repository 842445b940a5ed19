/** Finds a Chromium on this machine and starts it headless. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { FwError } from '../base.ts'

/** The headless shell first: the same engine without a desktop's parts, several times as quick. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]
const quiet = [
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-gpu',
]

/** The path of a Chromium on this machine: `CHROMIUM`, which means none when it is empty, else one of the usual names on PATH. */
export function findChromium(): string | undefined {
  const given = process.env['CHROMIUM']
  if (given !== undefined) return given === '' ? undefined : given
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return candidates.find((file) => existsSync(file))
}

/**
 * A headless Chromium of this machine, driven by the package playwright-core.
 * @throws FwError `testing.no-browser`
 */
export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  const reason = await noBrowser()
  if (reason !== false) throw new FwError('testing.no-browser', reason)
  const { chromium } = await import('playwright-core')
  return chromium.launch({
    executablePath: findChromium()!,
    // Chromium refuses its sandbox to root, so root goes without.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [...quiet, ...args],
  })
}

/** Why no browser can be started here; false when one can. */
export async function noBrowser(): Promise<string | false> {
  try {
    await import('playwright-core')
  } catch {
    return 'playwright-core is not installed. For browser tests: npm install --save-dev playwright-core'
  }
  if (findChromium() !== undefined) return false
  return 'There is no Chromium on PATH. For browser tests install one, or set CHROMIUM to its path.'
}
