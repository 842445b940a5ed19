/** Highlights the syntax of a source excerpt as static HTML, without a script in the page. */
import { escapeXml as escape } from '../../runtime/http.ts'

const keywords =
  'abstract|as|async|await|break|case|catch|class|const|continue|default|delete|do|else|export|extends|false|finally|for|from|' +
  'function|if|import|in|instanceof|interface|let|new|null|of|override|private|protected|readonly|return|satisfies|static|' +
  'super|switch|this|throw|true|try|type|typeof|undefined|var|void|while|yield|' +
  'select|insert|update|delete|into|values|create|alter|drop|table|index|primary|key|references|not|where|and|or|on|constraint'

const token = new RegExp(
  `(?<comment>//.*|(?:--|#) .*|/\\*.*?(?:\\*/|$))|` +
    `(?<string>'(?:[^'\\\\]|\\\\.)*'|"(?:[^"\\\\]|\\\\.)*"|\`(?:[^\`\\\\]|\\\\.)*\`)|` +
    `(?<number>\\b\\d[\\d_]*(?:\\.\\d+)?\\b)|` +
    `(?<keyword>\\b(?:${keywords})\\b)`,
  'g',
)

/** Converts one line of code to HTML with highlighted syntax. */
export function highlight(code: string): string {
  let html = ''
  let from = 0
  for (const found of code.matchAll(token)) {
    const kind = Object.entries(found.groups!).find(([, text]) => text !== undefined)![0]
    html += `${escape(code.slice(from, found.index))}<i class="${kind}">${escape(found[0])}</i>`
    from = found.index + found[0].length
  }
  return html + escape(code.slice(from))
}
