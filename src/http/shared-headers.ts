/** Headers that many responses share: checked and put into text once. */
import { ResponseHeaders } from './response-headers.ts'

/** Immutable; a response sends them after its own. */
export class SharedHeaders {
  /** Alternating names and values. */
  readonly raw: readonly string[]
  /** The lines as HTTP/1.x has them, each with its line break. */
  readonly text: string

  /** @throws FwError `http.header-invalid` */
  constructor(raw: readonly string[]) {
    const checked = new ResponseHeaders()
    for (let i = 0; i < raw.length; i += 2) checked.append(raw[i]!, raw[i + 1]!)
    this.raw = checked.raw
    this.text = [...checked].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  }
}
