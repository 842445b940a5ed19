/** lsp: the language server of templates, for editors. */
export { startLanguageServer } from './lsp/language-server.ts'
