/** The overlay that shows mistakes in types and templates above the pages of development. */

/** A mistake that the compiler has found. */
export interface Mistake {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
  /** The source line with a caret below the column. */
  readonly frame?: string
}

// Set styles through the DOM, which is allowed even if the Content-Security-Policy forbids inline styles.
export const mistakesScript = `function fwShowMistakes(mistakes) {
  document.getElementById('fw-mistakes')?.remove()
  if (mistakes.length === 0) return
  const add = (parent, name, text, style) => {
    const element = parent.appendChild(document.createElement(name))
    element.textContent = text
    element.style.cssText = style
    return element
  }
  const host = add(document.body, 'div', '', 'all:initial;position:fixed;inset:auto 0 0 0;z-index:2147483647')
  host.id = 'fw-mistakes'
  const box = host.attachShadow({ mode: 'open' })
  const pane = add(box, 'section', '', 'box-sizing:border-box;max-height:45vh;overflow:auto;margin:0;padding:12px 16px 16px;background:#1d2126;color:#e6e8eb;border-top:3px solid #ff8a80;font:14px/1.5 system-ui,sans-serif')
  pane.setAttribute('role', 'alert')
  const close = add(pane, 'button', 'Hide', 'float:right;padding:4px 12px;border:1px solid #5b6470;border-radius:6px;background:none;color:inherit;font:inherit;cursor:pointer')
  close.onclick = () => host.remove()
  const count = mistakes.length === 1 ? '1 mistake' : mistakes.length + ' mistakes'
  add(pane, 'strong', count, 'display:block;margin:4px 0 8px;color:#ff8a80')
  for (const { file, line, column, message, frame } of mistakes) {
    add(pane, 'div', file + ':' + line + ':' + column, 'margin-top:8px;font-weight:600')
    add(pane, 'div', message, 'white-space:pre-wrap;overflow-wrap:anywhere')
    if (frame) add(pane, 'pre', frame, 'margin:4px 0 0;overflow-x:auto;color:#9aa4b2;font:13px/1.5 ui-monospace,Menlo,Consolas,monospace')
  }
}
`
