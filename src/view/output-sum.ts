/** Writes what a template prints as one sum for as long as nothing comes between: `__out += "…" + … + "…";`. */
import type { CodeWriter } from './code-writer.ts'

export class OutputSum {
  readonly #out: CodeWriter
  #open = false
  /** Static text that is not written yet, so that neighbours become one literal. */
  #text = ''

  constructor(out: CodeWriter) {
    this.#out = out
  }

  /** Adds static text. */
  text(text: string): void {
    this.#text += text
  }

  /** Makes ready for an expression, which the caller writes. */
  plus(): void {
    this.#flush()
    this.#operator()
  }

  end(): void {
    this.#flush()
    if (this.#open) this.#out.write(';')
    this.#open = false
  }

  #operator(): void {
    this.#out.write(this.#open ? ' + ' : ' __out += ')
    this.#open = true
  }

  #flush(): void {
    if (this.#text === '') return
    this.#operator()
    this.#out.write(stringLiteral(this.#text))
    this.#text = ''
  }
}

function stringLiteral(text: string): string {
  return JSON.stringify(text).replace(/[\u2028\u2029]/g, (char) =>
    char === '\u2028' ? '\\u2028' : '\\u2029',
  )
}
