/** The frame and the style of the pages that development adds to an application. */
import { escapeXml as escape } from '../../runtime/http.ts'

/** The parts of a page. */
export interface DevelopmentPage {
  readonly title: string
  /** The nonce with which the Content-Security-Policy allows the inline style sheet. */
  readonly nonce: string
  /** The HTML of the element `main`. */
  readonly main: string
  /** Style rules of this page. */
  readonly style?: string
}

/** Renders a complete HTML page without scripts. */
export function developmentPage({ title, nonce, main, style = '' }: DevelopmentPage): string {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">' +
    `<title>${escape(title)}</title><style nonce="${escape(nonce)}">${pageStyle}${style}</style></head><body><main>` +
    `${main}</main></body></html>`
  )
}

/** Renders a table of names and texts. */
export function table(rows: readonly (readonly [name: string, text: string])[]): string {
  const lines = rows.map(
    ([name, text]) =>
      `<tr><th scope="row">${escape(name)}</th><td><code>${escape(text)}</code></td></tr>`,
  )
  return `<table>${lines.join('')}</table>`
}

/** The style sheet: light or dark by the visitor's preference, and one column that fits a phone. */
const pageStyle = `
:root{color-scheme:light dark;--ink:light-dark(#1c2024,#e6e8eb);--soft:light-dark(#5b6470,#9aa4b2);--paper:light-dark(#fff,#15181c);
--pane:light-dark(#f5f6f8,#1d2126);--line:light-dark(#dfe3e8,#30363d);--bad:light-dark(#b3261e,#ff8a80);--mark:light-dark(#fdecea,#3a2020);--word:light-dark(#7b2fa0,#d9a8ff);--text:light-dark(#1b6b3a,#8fdca8)}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,sans-serif}
main{max-width:64rem;margin:0 auto;padding:2rem 1.25rem 4rem}
header p{margin:0;color:var(--soft)}
h1{margin:.25rem 0 .5rem;color:var(--bad);font-size:1.375rem;line-height:1.35;overflow-wrap:anywhere;white-space:pre-wrap}
h2{margin:2rem 0 .5rem;font-size:1rem;overflow-wrap:anywhere}
h3{margin:1rem 0 .25rem;color:var(--soft);font-size:.875rem;font-weight:600}
code,pre,kbd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.8125rem}
pre{margin:0;padding:.75rem 0;overflow-x:auto;background:var(--pane);border:1px solid var(--line);border-radius:.5rem;line-height:1.6;tab-size:2}
pre span,pre mark{display:block;padding:0 1rem;min-width:max-content}
pre mark{background:var(--mark);color:inherit}
pre .keyword{color:var(--word)}pre .string{color:var(--text)}pre .number{color:var(--text)}pre .comment{color:var(--soft)}
pre i{font-style:normal}
pre.wrap code{user-select:all}
a{color:inherit;text-underline-offset:.2em}
pre.wrap{padding:.75rem 1rem;white-space:pre-wrap;overflow-wrap:anywhere}
ol.stack{margin:0;padding:0;list-style:none}
.stack li{padding:.125rem 0;overflow-wrap:anywhere}
.stack .own{font-weight:600}
details{margin:.125rem 0;color:var(--soft)}
summary{cursor:pointer;font-size:.875rem}
table{width:100%;border-collapse:collapse}
th,td{padding:.3125rem .5rem .3125rem 0;border-bottom:1px solid var(--line);text-align:start;vertical-align:top;overflow-wrap:anywhere}
th{width:14rem;color:var(--soft);font-weight:400}
td.time{width:6rem;text-align:end;white-space:nowrap;color:var(--soft)}
.empty{color:var(--soft)}
button{padding:.375rem .75rem;border:1px solid var(--line);border-radius:.5rem;background:var(--pane);color:inherit;font:inherit;cursor:pointer}
@media (max-width:40rem){main{padding:1.25rem 1rem 3rem}h1{font-size:1.1875rem}th{width:38%}}
`
