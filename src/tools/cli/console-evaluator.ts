/** Evaluates TypeScript in the console: with `await` at the top level, and awaiting every promise. */
import { Recoverable, start, type REPLEval, type ReplOptions, type REPLServer } from 'node:repl'
import { PassThrough, Writable } from 'node:stream'
import { inspect } from 'node:util'
import { FwError, isPromise } from '../../runtime/base.ts'
import { stripTypes } from '../dev.ts'

/** Messages of Node's type stripper for incomplete code. */
const incompleteMessage = /<eof>|unexpected eof|unterminated/i

/** Returns code that the stripper refuses unchanged: an expression such as `{ a: 1, b: 2 }` is valid for the console. */
function toJavaScript(code: string): { readonly code: string; readonly incomplete?: Error } {
  try {
    return { code: stripTypes(code) }
  } catch (error) {
    const failure = error as Error
    return incompleteMessage.test(failure.message) ? { code, incomplete: failure } : { code }
  }
}

/** The global through which a promise is passed to `await`. */
const pending = '__fwPending'

/** Wraps the evaluation of a `REPLServer`, which supports `await`, repeated `const` and multi-line code. */
function typeScriptEval(server: REPLServer, inner: REPLEval): REPLEval {
  return (typed, context, file, done) => {
    const { code, incomplete } = toJavaScript(typed)
    inner.call(server, code, context, file, (error, value: unknown) => {
      // `const f = (n: number) => {` is invalid JavaScript, but incomplete TypeScript.
      if (error instanceof SyntaxError && incomplete !== undefined)
        return done(new Recoverable(incomplete), undefined)
      if (error !== null || !isPromise(value)) return done(error, value)
      // The console's own `await` pauses the input and can be interrupted with Ctrl+C.
      Object.defineProperty(context, pending, { value, configurable: true })
      inner.call(server, `await ${pending}\n`, context, file, done)
    })
  }
}

/** A console in the global context, so that its objects are instances of the application's `Object`. */
export function typeScriptRepl(options: ReplOptions): REPLServer {
  const server = start({
    ...options,
    useGlobal: true,
    ignoreUndefined: true,
    // Ctrl+C interrupts an `await`.
    breakEvalOnSigint: true,
  })
  return Object.assign(server, { eval: typeScriptEval(server, server.eval) })
}

/** Removes the stack frames of the console itself. */
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
    // Node prints an error thrown before the first `await` instead of passing it to the callback.
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
   * Resolves to the value of the statement that the line ends; to `undefined` when the statement continues.
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

  /** @throws FwError `cli.console-failed` when the last statement is incomplete */
  end(): void {
    this.#server.close()
    if (this.#code === '') return
    throw new FwError(
      'cli.console-failed',
      `The input ends within a statement:\n${this.#code.trimEnd()}`,
    )
  }
}
