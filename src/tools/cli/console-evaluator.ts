/** Evaluates TypeScript in the console. Supports `await` at the top level, and awaits every promise. */
import { Recoverable, start, type REPLEval, type ReplOptions, type REPLServer } from 'node:repl'
import { PassThrough, Writable } from 'node:stream'
import { inspect } from 'node:util'
import { FwError, isPromise } from '../../runtime/base.ts'
import { stripTypes } from '../dev.ts'

/** Matches the messages of Node's type stripper for incomplete code. */
const incompleteMessage = /<eof>|unexpected eof|unterminated/i

/** Strips types. Returns refused code unchanged, because the console accepts expressions such as `{ a: 1, b: 2 }`. */
function toJavaScript(code: string): { readonly code: string; readonly incomplete?: Error } {
  try {
    return { code: stripTypes(code) }
  } catch (error) {
    const failure = error as Error
    return incompleteMessage.test(failure.message) ? { code, incomplete: failure } : { code }
  }
}

/** The name of the global variable that holds the promise to await. */
const pending = '__fwPending'

/** Wraps the `eval` of a `REPLServer`, which already supports `await`, repeated `const` and multi-line code. */
function typeScriptEval(server: REPLServer, inner: REPLEval): REPLEval {
  return (typed, context, file, done) => {
    const { code, incomplete } = toJavaScript(typed)
    inner.call(server, code, context, file, (error, value: unknown) => {
      // Ask for more lines: `const f = (n: number) => {` is invalid as JavaScript, but is incomplete TypeScript.
      if (error instanceof SyntaxError && incomplete !== undefined)
        return done(new Recoverable(incomplete), undefined)
      if (error !== null || !isPromise(value)) return done(error, value)
      // Await the promise with the console's own `await`, which pauses the input and can be interrupted with Ctrl+C.
      Object.defineProperty(context, pending, { value, configurable: true })
      inner.call(server, `await ${pending}\n`, context, file, done)
    })
  }
}

/** Creates a console in the global context, so that its objects are instances of the application's `Object`. */
export function typeScriptRepl(options: ReplOptions): REPLServer {
  const server = start({
    ...options,
    useGlobal: true,
    ignoreUndefined: true,
    // Let Ctrl+C interrupt an `await`.
    breakEvalOnSigint: true,
  })
  return Object.assign(server, { eval: typeScriptEval(server, server.eval) })
}

/** Creates the error for a thrown value, without the stack frames of the console itself. */
const toFailure = (thrown: string): FwError =>
  new FwError(
    'cli.console-failed',
    thrown
      .replace(/^ +at .*(?:node:|console-evaluator|src\/cli|dist\/cli|<anonymous>).*\n?/gm, '')
      .trim(),
  )

/** Evaluates a script line by line, without a terminal. */
export class TypeScriptScript {
  readonly #server: REPLServer
  #failed: (text: string) => void = () => {}
  #code = ''

  constructor(names: object) {
    // Capture the output: Node prints an error that is thrown before the first `await`, and does not call the callback.
    const output = new Writable({
      write: (chunk, _encoding, next) => {
        const [, thrown] = /^Uncaught:?\s([\s\S]*)/.exec(String(chunk)) ?? []
        if (thrown !== undefined) this.#failed(thrown)
        next()
      },
    })
    this.#server = typeScriptRepl({ input: new PassThrough(), output, terminal: false, prompt: '' })
    Object.assign(this.#server.context, names)
  }

  /**
   * Evaluates a line. Resolves to the value of the statement that ends in it, or to `undefined` if the statement is incomplete.
   * @throws FwError `cli.console-failed` with the text of the thrown error
   */
  run(line: string): Promise<unknown> {
    this.#code += `${line}\n`
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        this.#code = ''
        end()
      }
      this.#failed = (text) => settle(() => reject(toFailure(text)))
      this.#server.eval(this.#code, this.#server.context, 'console', (error, value: unknown) => {
        if (error instanceof Recoverable) resolve(undefined)
        else settle(() => (error === null ? resolve(value) : reject(toFailure(inspect(error)))))
      })
    })
  }

  /** Ends the script. @throws FwError `cli.console-failed` if the last statement is incomplete */
  end(): void {
    this.#server.close()
    if (this.#code === '') return
    throw new FwError(
      'cli.console-failed',
      `The input ends within a statement:\n${this.#code.trimEnd()}`,
    )
  }
}
