/** `fw lsp`: starts the language server of templates on stdin and stdout. */
import { resolve } from 'node:path'
import { FwError } from '../../runtime/base.ts'
import type { CommandOptions } from './load-application.ts'

/** The packages of the server, which are optional: production needs none. */
const packages =
  'vscode-languageserver@11 vscode-html-languageservice@5 vscode-css-languageservice@6'

/** Starts the server. It ends when the editor closes the connection. @throws FwError `lsp.package-missing` */
export async function lsp({ app }: CommandOptions): Promise<void> {
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
