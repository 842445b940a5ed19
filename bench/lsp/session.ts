/** Plays an editing session on a language server, and measures it. */
import { readFileSync } from 'node:fs'
import type { Diagnostic, DocumentDiagnosticReport } from 'vscode-languageserver'
import { Editor, type EditorOptions } from '../../test/lsp/editor.ts'
import { listChildren } from '../../test/support/child-processes.ts'

/** A language server, and the place that the session edits. */
export interface Subject extends EditorOptions {
  readonly name: string
  /** The edited file, relative to the application. */
  readonly file: string
  /** The line, or its beginning, below which the session writes. */
  readonly line: string
  /** The code before and after the expression that is typed. */
  readonly around: readonly [string, string]
  /** The text before the member that is completed, and a name that the completion must contain. */
  readonly completion: readonly [string, string]
  /** Whether the editor must request mistakes, because the server publishes none. */
  readonly isPulled?: boolean
}

/** Durations are in milliseconds, memory is in MiB. */
export interface Measurement {
  readonly initialize: number
  /** The time from the start of the process to the mistakes of the first document. */
  readonly firstMistakes: number
  readonly keys: readonly number[]
  readonly completions: readonly number[]
  /** The processor time of one key: of the server, and of the processes that it has started. */
  readonly processor: readonly [number, number]
  readonly memory: readonly [number, number]
}

const residentMiB = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024)

/** Returns the processor time of a process in milliseconds. */
function processorMillis(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  // The kernel counts 100 ticks a second.
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function descendants(pid: number): readonly number[] {
  return listChildren(pid).flatMap((child) => [child, ...descendants(child)])
}

/** Adds up a figure of a process, and separately that of its descendants. */
function ofProcesses(pid: number, read: (pid: number) => number): [number, number] {
  return [read(pid), descendants(pid).reduce((sum, child) => sum + read(child), 0)]
}

/** What servers ask an editor for: settings, watching files, and a progress bar. */
const requestsOfServers = [
  'workspace/configuration',
  'client/registerCapability',
  'window/workDoneProgress/create',
]

class TypingSession {
  readonly #subject: Subject
  readonly #editor: Editor
  /** The offset at which the expression begins. */
  #start = 0

  constructor(root: string, subject: Subject) {
    this.#subject = subject
    this.#editor = new Editor(root, subject)
    for (const method of requestsOfServers) this.#editor.connection.onRequest(method, () => null)
  }

  async measure(edits: number): Promise<Measurement> {
    const began = performance.now()
    const editor = this.#editor
    await editor.initialize()
    const initialize = performance.now() - began
    await this.#open()
    const firstMistakes = performance.now() - began
    const pid = editor.child.pid!
    const [ownBefore, othersBefore] = ofProcesses(pid, processorMillis)
    const keys: number[] = []
    for (let at = 0; at < edits; at++) keys.push(await this.#typeKey(at))
    const [own, others] = ofProcesses(pid, processorMillis)
    const completions: number[] = []
    for (let at = 0; at < edits / 5; at++) completions.push(await this.#complete())
    const memory = ofProcesses(pid, residentMiB)
    await editor.shutDown()
    const processor = [(own - ownBefore) / edits, (others - othersBefore) / edits] as const
    return { initialize, firstMistakes, keys, completions, processor, memory }
  }

  /** Opens the document with an unknown name, and waits for this mistake. */
  async #open(): Promise<void> {
    const { file, line, around } = this.#subject
    const text = this.#editor.read(file)
    const end = text.indexOf('\n', text.indexOf(line)) + 1
    this.#start = end + around[0].length
    const opened = `${text.slice(0, end)}${around[0]}unknown${around[1]}${text.slice(end)}`
    await this.#editor.open(file, opened)
    await this.#mistake("'unknown'")
  }

  /** Types a letter of a name, or begins a new name after ten letters. Waits until the name is reported as unknown. */
  async #typeKey(at: number): Promise<number> {
    const letter = String.fromCharCode(97 + (at % 26))
    const length = this.#expression().length
    const start = performance.now()
    await (length < 10 ? this.#replace(length, letter) : this.#replace(0, letter))
    await this.#mistake(`'${this.#expression()}'`)
    return performance.now() - start
  }

  async #complete(): Promise<number> {
    const [text, expected] = this.#subject.completion
    await this.#replace(0, text.slice(0, -1))
    const start = performance.now()
    await this.#replace(text.length - 1, text.slice(-1))
    const found = await this.#editor.connection.sendRequest('textDocument/completion', {
      textDocument: { uri: this.#editor.uri(this.#subject.file) },
      position: this.#editor.lines(this.#subject.file).position(this.#start + text.length),
      context: { triggerKind: 1 },
    })
    const time = performance.now() - start
    if (!JSON.stringify(found).includes(`"${expected}"`)) throw new Error(`no ${expected}`)
    return time
  }

  #expression(): string {
    const text = this.#editor.text(this.#subject.file)
    return text.slice(this.#start, text.indexOf(this.#subject.around[1], this.#start))
  }

  /** Replaces the expression from one of its offsets. */
  async #replace(from: number, text: string): Promise<void> {
    const end = this.#start + this.#expression().length
    await this.#editor.edit(this.#subject.file, this.#start + from, end, text)
  }

  /** Resolves when the server has reported a mistake that contains a text. */
  async #mistake(text: string): Promise<void> {
    const { file, isPulled } = this.#subject
    const isReported = (all: readonly Diagnostic[]): boolean =>
      all.some(({ message }) => String(message).includes(text))
    if (isPulled !== true)
      return void (await this.#editor.published(file, ({ diagnostics }) => isReported(diagnostics)))
    const report = await this.#editor.askAbout<DocumentDiagnosticReport>(
      'textDocument/diagnostic',
      file,
    )
    if (report.kind !== 'full' || !isReported(report.items)) throw new Error(`no mistake ${text}`)
  }
}

/** Starts a server, types, and ends it. */
export const measureSession = (
  root: string,
  subject: Subject,
  edits: number,
): Promise<Measurement> => new TypingSession(root, subject).measure(edits)
