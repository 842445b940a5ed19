/** Evaluates what is typed into the console: TypeScript, with `await` anywhere, a promise's value as if it had been awaited. */
import { Recoverable, start, type REPLEval, type ReplOptions, type REPLServer } from 'node:repl'
import { PassThrough, Writable } from 'node:stream'
import { inspect } from 'node:util'
import { FwError, isPromise } from '../base.ts'
import { stripTypes } from './strip-types.ts'

/** What the type stripper says of code that has not ended yet. */
const endedEarly = /<eof>|unexpected eof|unterminated/i

/** What the stripper does not take may still be an expression, such as `{ a: 1, b: 2 }`, or code with no types in it. */
function toJavaScript(code: string): { readonly code: string; readonly incomplete?: Error } {
  try {
    return { code: stripTypes(code) }
  } catch (error) {
    const failure = error as Error
    return endedEarly.test(failure.message) ? { code, incomplete: failure } : { code }
  }
}

/** Where a promise waits to be awaited. */
const pending = '__fwPending'

/** `inner` is the evaluation of a `REPLServer`, which knows `await`, `const` and code that goes on. */
function typeScriptEval(server: REPLServer, inner: REPLEval): REPLEval {
  return (typed, context, file, done) => {
    const { code, incomplete } = toJavaScript(typed)
    inner.call(server, code, context, file, (error, value: unknown) => {
      // `const f = (n: number) => {` is wrong for JavaScript, and goes on for TypeScript.
      if (error instanceof SyntaxError && incomplete !== undefined)
        return done(new Recoverable(incomplete), undefined)
      if (error !== null || !isPromise(value)) return done(error, value)
      // By Node's own `await`, which holds the input back and hears Ctrl+C.
      Object.defineProperty(context, pending, { value, configurable: true })
      inner.call(server, `await ${pending}\n`, context, file, done)
    })
  }
}

/** Values of the console are those of the process: an object made in it is an `Object` to the application too. */
export function typeScriptRepl(options: ReplOptions): REPLServer {
  const server = start({
    ...options,
    useGlobal: true,
    ignoreUndefined: true,
    // Ctrl+C ends what is awaited.
    breakEvalOnSigint: true,
  })
  return Object.assign(server, { eval: typeScriptEval(server, server.eval) })
}

/** Without the frames of the console itself. */
const failure = (thrown: string): FwError =>
  new FwError(
    'cli.console-failed',
    thrown
      .replace(/^ +at .*(?:node:|console-evaluator|src\/cli|dist\/cli|<anonymous>).*\n?/gm, '')
      .trim(),
  )

/** Evaluates one piece of code after the other. */
export class TypeScriptScript {
  readonly #server: REPLServer
  #failed: (text: string) => void = () => {}
  #code = ''

  constructor(names: object) {
    // What code throws before its first `await` is not handed on but printed.
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
   * The value of the code that the line ends, `undefined` while more lines belong to it.
   * @throws whatever the code throws
   */
  run(line: string): Promise<unknown> {
    this.#code += `${line}\n`
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        this.#code = ''
        end()
      }
      this.#failed = (text) => settle(() => reject(failure(text)))
      this.#server.eval(this.#code, this.#server.context, 'console', (error, value: unknown) => {
        if (error instanceof Recoverable) resolve(undefined)
        else settle(() => (error === null ? resolve(value) : reject(failure(inspect(error)))))
      })
    })
  }

  /** @throws FwError `cli.console-failed` in the middle of something */
  end(): void {
    this.#server.close()
    if (this.#code === '') return
    throw new FwError(
      'cli.console-failed',
      `The input ends in the middle of something:\n${this.#code.trimEnd()}`,
    )
  }
}
