/** The page on which an application's routes are read and tried, as HTML. */
import { escapeXml } from '../http.ts'
import { tryScript } from './try-script.ts'

/** What the page is made with. */
export interface TryPage {
  readonly title: string
  /** The path of the document. */
  readonly documentPath: string
  /** Of the inline style and script. */
  readonly nonce: string
  /** The session's token, for requests that change something. */
  readonly token: string
}

/** Light and dark by the visitor's choice; one column that fits a phone. */
const style = `
:root{color-scheme:light dark;--ink:light-dark(#1c2024,#e6e8eb);--soft:light-dark(#5b6470,#9aa4b2);--paper:light-dark(#fff,#15181c);
--pane:light-dark(#f5f6f8,#1d2126);--line:light-dark(#dfe3e8,#30363d);--act:light-dark(#1f5fbf,#7fb2ff);--bad:light-dark(#b3261e,#ff8a80)}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{max-width:64rem;margin:0 auto;padding:2rem 1.25rem 4rem}
header p{margin:.25rem 0;color:var(--soft)}
a{color:var(--act)}
h1{margin:0;font-size:1.5rem}
h2{margin:2rem 0 .25rem;font-size:1.125rem}
h3{margin:1rem 0 .25rem;font-size:.875rem;color:var(--soft)}
code,pre,textarea,.path{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875rem}
.find{width:100%;margin-top:1rem}
.group>p{margin:0 0 .5rem;color:var(--soft)}
details.route{border:1px solid var(--line);border-radius:.5rem;margin:.375rem 0;background:var(--pane)}
.route>summary{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline;padding:.5rem .75rem;cursor:pointer;list-style:none}
.route>summary::-webkit-details-marker{display:none}
.method{min-width:4.25rem;font-weight:700;font-size:.8125rem;color:var(--act)}
.path{overflow-wrap:anywhere}
.old .path{text-decoration:line-through}
.about{color:var(--soft);font-size:.875rem}
form,.answers{padding:0 .75rem .75rem}
label{display:grid;grid-template-columns:minmax(7rem,14rem) 1fr;gap:.125rem .75rem;align-items:baseline;margin:.25rem 0}
label small{grid-column:2;color:var(--soft)}
input,select,textarea,button{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:.375rem;padding:.3125rem .5rem;max-width:100%}
textarea{width:100%;font:.875rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;margin-top:.375rem;min-height:8rem;tab-size:2}
button{background:var(--act);border-color:var(--act);color:var(--paper);font-weight:600;padding:.375rem 1rem;cursor:pointer}
:focus-visible{outline:2px solid var(--act);outline-offset:2px}
pre{margin:.25rem 0;padding:.75rem;overflow:auto;max-height:28rem;background:var(--paper);border:1px solid var(--line);border-radius:.375rem;white-space:pre-wrap;overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse;font-size:.875rem}
th,td{padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--line);text-align:start;vertical-align:top;overflow-wrap:anywhere}
th{width:5rem}
td:first-child{min-width:6rem}
.more{color:var(--soft);font-size:.875rem;cursor:pointer}
.failed{color:var(--bad)}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center;margin-top:.75rem}
[hidden]{display:none!important}
@media (max-width:40rem){main{padding:1.25rem 1rem 3rem}label{grid-template-columns:1fr}label small{grid-column:1}}
`

/** Everything that comes from the application is put in by the script, as text. */
export function tryPage({ title, documentPath, nonce, token }: TryPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="csrf-token" content="${token}">
<title>${escapeXml(title)}: routes</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main data-document="${escapeXml(documentPath)}">
<header>
<h1>${escapeXml(title)}</h1>
<p><a href="${escapeXml(documentPath)}">OpenAPI document</a>. This page is there in development alone.</p>
</header>
<noscript><p>The routes are listed by a script; the document has all that it would show.</p></noscript>
</main>
<script type="module" nonce="${nonce}">${tryScript}</script>
</body>
</html>
`
}
