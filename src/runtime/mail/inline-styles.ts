/** Moves the rules of `<style>` elements into style attributes, because many mail programs ignore `<style>`. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { inline } from '@css-inline/css-inline-wasm'
import { FwError } from '../base.ts'

const name = '@css-inline/css-inline-wasm'
let inliner: Promise<typeof inline> | undefined

async function load(): Promise<typeof inline> {
  try {
    const loaded = await import('@css-inline/css-inline-wasm')
    const wasm = createRequire(import.meta.url).resolve(`${name}/index_bg.wasm`)
    const init = loaded.initWasm as unknown as (options: object) => Promise<void>
    // The declared parameter is deprecated: the package would print a warning.
    await init({ module_or_path: await readFile(wasm) })
    return loaded.inline
  } catch (cause) {
    throw new FwError(
      'mail.package-missing',
      `Mails with a <style> element need the package ${name}: npm install ${name}`,
      { cause },
    )
  }
}

/**
 * Returns the HTML with inlined styles. Keeps `@media` and other at-rules in a `<style>` element. Never loads a style sheet.
 * HTML without `<style>` stays unchanged and needs no package.
 * @throws FwError `mail.package-missing`
 */
export async function inlineStyles(html: string): Promise<string> {
  if (!/<style\b/i.test(html)) return html
  // A failed load is not cached, so that the package can be installed while the application runs.
  inliner ??= load().catch((error: unknown) => {
    inliner = undefined
    throw error
  })
  return (await inliner)(html, { keepAtRules: true, loadRemoteStylesheets: false })
}
