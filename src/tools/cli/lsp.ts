/** `fw lsp`: starts the language server of templates on stdin and stdout. */
import { resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { FwError } from '../../runtime/base.ts'
import type { CommandOptions } from './load-application.ts'

/** The packages of the server, which are optional: production needs none. */
const packages =
  'vscode-languageserver@11 vscode-html-languageservice@5 vscode-css-languageservice@6'

/** Starts the server. It ends when the editor closes the connection. @throws FwError `lsp.package-missing` */
export async function lsp({ app }: CommandOptions): Promise<void> {
  // Compiling hundreds of templates at the start would grow the space of new objects to 32 MiB, of which V8 returns nothing.
  setFlagsFromString('--semi-space-growth-factor=1')
  const { startLanguageServer } = await importServer()
  startLanguageServer(resolve(app))
}

async function importServer() {
  try {
    return await import('../lsp.ts')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes("'vscode-")) throw error
    throw new FwError(
      'lsp.package-missing',
      `The language server needs packages that are not installed: npm install --save-dev ${packages}`,
      { cause: error },
    )
  }
}
