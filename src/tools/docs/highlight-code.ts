/** Highlights the syntax of code blocks as static HTML. */
import { escapeXml } from '../../runtime/http.ts'

const words =
  'abstract|as|async|await|break|case|catch|class|const|continue|def|default|delete|do|else|end|export|extends|false|finally|for|' +
  'foreach|from|function|if|implements|import|in|instanceof|interface|let|new|nil|null|of|override|private|protected|public|' +
  'readonly|require|return|satisfies|static|super|switch|this|throw|true|try|type|typeof|undefined|use|var|void|while|yield'
const sqlWords =
  'add|alter|and|as|asc|begin|by|column|commit|constraint|create|default|delete|desc|drop|from|group|index|insert|into|is|join|' +
  'key|limit|not|null|on|or|order|primary|references|returning|select|set|table|unique|update|using|values|where|with'

const string = `(?<string>'(?:[^'\\\\\\n]|\\\\.)*'|"(?:[^"\\\\\\n]|\\\\.)*"|\`(?:[^\`\\\\]|\\\\.)*\`)`
const number = '(?<number>\\b\\d[\\d_]*(?:\\.\\d+)?\\b)'
const hash = '(?<comment>(?<=^|\\s)#.*)'

const script = `(?<comment>//.*|/\\*[^]*?\\*/)|${string}|${number}|(?<tag>@\\w+)|(?<keyword>\\b(?:${words})\\b)`
const ruby = `${hash}|${string}|(?<number>\\b\\d+\\b|:\\w+)|(?<keyword>\\b(?:${words})\\b)`
const shell = `${hash}|${string}|(?<tag>\\$\\{?\\w+\\}?)|(?<keyword>(?<=\\s)--?[a-zA-Z][\\w-]*)`
const yaml = `${hash}|(?<keyword>^[ \\t-]*[\\w.*/-]+(?=:(?:\\s|$)))|${string}|${number}`
const sql = `(?<comment>--.*)|${string}|${number}|(?<keyword>\\b(?:${sqlWords})\\b)`
const markup =
  '(?<comment><%--[^]*?--%>|<!--[^]*?-->|\\{\\{--.*?--\\}\\})|(?<string>"[^"\\n]*")|(?<keyword><%(?:@\\w+|==?)?|%>|\\$\\{|^[ \\t]*#\\w+|@\\w+|\\{\\{|\\}\\})|' +
  '(?<tag></?[a-zA-Z][\\w:-]*|/?>)'

const patterns = new Map(
  Object.entries({
    'ts js typescript javascript json php': script,
    ruby,
    'sh toml': shell,
    yaml,
    sql,
    'ssp html erb blade edge ejs': markup,
  }).flatMap(([languages, pattern]) =>
    languages.split(' ').map((language) => [language, new RegExp(pattern, 'gm')] as const),
  ),
)

/**
 * Converts the changes of a file to HTML. Style sheets show the markers `+` and `-`, so that a reader copies lines without them.
 * A line without a marker, such as the path of the file, is a comment.
 */
function markChanges(code: string): string {
  const mark = (line: string): string => {
    const text = escapeXml(line.slice(1))
    if (line.startsWith('+')) return `<ins>${text}\n</ins>`
    if (line.startsWith('-')) return `<del>${text}\n</del>`
    return line === '' || line.startsWith(' ')
      ? `${text}\n`
      : `<span class="comment">${escapeXml(line)}\n</span>`
  }
  return code.split('\n').map(mark).join('')
}

/** Converts code to HTML. Code of an unknown language is only escaped. */
export function highlightCode(code: string, language: string): string {
  if (language === 'diff') return markChanges(code)
  const pattern = patterns.get(language)
  if (pattern === undefined) return escapeXml(code)
  let html = ''
  let from = 0
  for (const found of code.matchAll(pattern)) {
    const kind = Object.entries(found.groups!).find(([, text]) => text !== undefined)![0]
    html += `${escapeXml(code.slice(from, found.index))}<span class="${kind}">${escapeXml(found[0])}</span>`
    from = found.index + found[0].length
  }
  return html + escapeXml(code.slice(from))
}
