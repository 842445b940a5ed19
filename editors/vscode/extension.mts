/** The extension of VS Code: starts `fw lsp` for each application whose templates are opened. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Disposable,
  type ExtensionContext,
  type TextDocument,
  Uri,
  window,
  workspace,
} from 'vscode'
import { LanguageClient } from 'vscode-languageclient/node'

const webInf = /^(.*)[/\\]src[/\\]main[/\\]webapp[/\\]WEB-INF[/\\]/
const clients = new Map<string, LanguageClient>()

/** Starts the server of the application that contains a template, unless it runs. */
async function startFor({ languageId, uri }: TextDocument): Promise<void> {
  const [, root] = webInf.exec(uri.fsPath) ?? []
  if (languageId !== 'ssp' || root === undefined || clients.has(root)) return
  const program = join(root, 'node_modules/fwjs/dist/tools/cli/main.js')
  if (!existsSync(program)) {
    void window.showWarningMessage(`fwjs is not installed in ${root}: run npm install.`)
    return
  }
  const command = workspace.getConfiguration('fw').get('node', 'node')
  const server = { command, args: [program, 'lsp'], options: { cwd: root } }
  const baseUri = Uri.file(root).toString()
  const client = new LanguageClient('fw', 'Fw', server, {
    documentSelector: [
      { language: 'ssp', pattern: { baseUri, pattern: '**/*.ssp' } },
      { language: 'typescript', pattern: { baseUri, pattern: 'src/**/*.ts' } },
      {
        language: 'yaml',
        pattern: { baseUri, pattern: 'src/main/resources/messages*.{yml,yaml}' },
      },
    ],
    workspaceFolder: { uri: Uri.file(root), name: root, index: 0 },
    // VS Code's own server answers requests in code.
    initializationOptions: { typescript: false },
  })
  clients.set(root, client)
  await client.start()
}

/** Called by VS Code when the first template is opened. */
export async function activate({ subscriptions }: ExtensionContext): Promise<void> {
  const opened: Disposable = workspace.onDidOpenTextDocument((document) => void startFor(document))
  subscriptions.push(opened)
  await Promise.all(workspace.textDocuments.map(startFor))
}

/** Called by VS Code when it ends. */
export async function deactivate(): Promise<void> {
  await Promise.all([...clients.values()].map((client) => client.stop()))
}
