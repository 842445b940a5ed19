/**
 * Completes the rename of a member: the keys and texts that contain its name, such as in `permit({ name: … })` and `orderBy('name')`.
 * TypeScript does not link them to the member, but reports them after the rename.
 */
import type { CancellationToken } from 'vscode-languageserver'
import { type Correction, CorrectionFinder } from './find-corrections.ts'
import { findNameUses } from './name-uses.ts'
import {
  describeMistake,
  type DraftMistake,
  editAt,
  type NameEdit,
  placeKey,
  RenameDraft,
} from './rename-draft.ts'
import { requiredColumn } from './required-column.ts'
import { refuse, type Session } from './session.ts'

/** The largest number of times that mistakes are read and corrected. */
const maximumRounds = 10
/** The largest number of edits that are tried one by one. */
const maximumTries = 40
/** Codes of errors that the new name itself causes: syntax errors, reserved words and duplicate names. */
const mistakesOfName = /^TS(?:1[01]\d\d|12[01]\d|1359|2300|2451)$/

/** Returns whether edits rename a member: one of them is at its declaration, at a key, a text in quotes, an access or a shorthand. */
function renamesMember(session: Session, edits: readonly NameEdit[]): boolean {
  return edits.some(({ path, start, end }) => {
    const text = session.linesOf(path)?.text ?? ''
    return (
      findNameUses(text, text.slice(start, end), start, end).length > 0 ||
      declaresMember(text, start, end)
    )
  })
}

/** Returns whether a name can be that of a method or a field of a class where it is declared. */
const declaresMember = (text: string, start: number, end: number): boolean =>
  /(?:^|[;{}\n])\s*(?:(?:public|private|protected|static|override|readonly|async|get|set)\s+|\*\s*)*$/.test(
    text.slice(Math.max(0, start - 100), start),
  ) && /^\s*[(<=:?!;]/.test(text.slice(end, end + 100))

/** The edits of a rename, and the mistakes that they cause. */
export interface CompletedRename {
  readonly edits: readonly NameEdit[]
  readonly remaining: readonly DraftMistake[]
}

/**
 * Returns the edits of a rename, and those that correct the mistakes that it causes.
 * @throws RequestError if a file changes meanwhile, or TypeScript does not answer; ResponseError for a name that cannot be there
 */
export async function completeRename(
  session: Session,
  edits: readonly NameEdit[],
  names: { readonly name: string; readonly newName: string },
  token: CancellationToken,
): Promise<CompletedRename> {
  if (session.typescript === undefined || !renamesMember(session, edits))
    return { edits, remaining: [] }
  return session.typescript.withDraft((draft) =>
    new Completion(session, new RenameDraft(session, draft, token), names).run(edits),
  )
}

class Completion {
  readonly #session: Session
  readonly #draft: RenameDraft
  readonly #corrections: CorrectionFinder
  readonly #name: string
  readonly #newName: string
  /** The files that contain the name, and those with edits. */
  readonly #paths: Set<string>
  readonly #edits = new Map<string, NameEdit>()
  /** Edits that only the draft has. They make renamed columns required, because TypeScript accepts a write without an optional one. */
  #draftEdits: readonly NameEdit[] = []
  /** The descriptions of the mistakes before the rename. */
  readonly #known = new Set<string>()

  constructor(
    session: Session,
    draft: RenameDraft,
    { name, newName }: { readonly name: string; readonly newName: string },
  ) {
    this.#session = session
    this.#draft = draft
    this.#corrections = new CorrectionFinder(draft, { name, newName })
    this.#name = name
    this.#newName = newName
    this.#paths = new Set(filesWith(session, name))
  }

  async run(edits: readonly NameEdit[]): Promise<CompletedRename> {
    for (const { path } of edits) this.#paths.add(path)
    this.#draftEdits = edits.flatMap(({ path, end }) =>
      requiredColumn(this.#session.linesOf(path)?.text ?? '', end).map((one) => ({
        path,
        ...one,
        newText: '',
      })),
    )
    const before = await this.#mistakes()
    this.#addKnown(before)
    for (const edit of edits) this.#edits.set(placeKey(edit), edit)
    const uncertain: Correction[] = []
    let mistakes = await this.#mistakes()
    const wrong = this.#fresh(mistakes).find(({ code }) => mistakesOfName.test(code))
    if (wrong !== undefined)
      refuse(`'${this.#newName}' cannot be the name: ${describeMistake(this.#session, wrong)}`)
    for (let round = 0; round < maximumRounds && this.#weigh(mistakes) > before.length; round++) {
      const corrections = await this.#corrections.find(
        this.#fresh(mistakes),
        new Set(this.#edits.keys()),
      )
      if (corrections.length === 0) break
      for (const one of corrections) {
        for (const edit of one.edits) this.#edits.set(placeKey(edit), edit)
        if (!one.isCertain) uncertain.push(one)
      }
      mistakes = await this.#mistakes()
    }
    const pruned = await this.#prune(uncertain, mistakes)
    if (this.#weigh(pruned) > before.length) await this.#takeBack(pruned)
    const remaining = this.#fresh(await this.#completeEverywhere())
    return { edits: [...this.#edits.values()], remaining }
  }

  /**
   * Reads the mistakes of all files: those without the name can have mistakes because a type leaves the name out. Then tries all
   * other texts with the name. Returns the mistakes that are left.
   */
  async #completeEverywhere(): Promise<readonly DraftMistake[]> {
    for (const path of this.#session.checkedFiles()) this.#paths.add(path)
    this.#show(new Set(this.#edits.keys()))
    const before = await this.#draft.mistakes(this.#paths)
    this.#addKnown(before)
    const mistakes = await this.#mistakes()
    if (this.#weigh(mistakes) <= before.length) return []
    const guessed = this.#guess()
    return this.#prune(guessed, await this.#mistakes())
  }

  /** Adds all other texts with the name, because TypeScript accepts an unknown name in types such as `Omit<Member, 'name'>`. */
  #guess(): readonly Correction[] {
    const found = [...this.#paths].flatMap((path) => {
      const file = this.#draft.file(path)
      const all = findNameUses(file.lines.text, this.#name, 0, file.lines.text.length)
      return this.#corrections.toEdits(
        file,
        all.filter(({ kind }) => kind === 'text'),
      )
    })
    const others = found.filter((edit) => !this.#edits.has(placeKey(edit)))
    if (others.length > maximumTries / 2) return []
    for (const edit of others) this.#edits.set(placeKey(edit), edit)
    return others.map((edit) => ({ edits: [edit], isCertain: false }))
  }

  /**
   * Takes back edits at which a mistake is left. They have changed the name of something else, such as a parameter of a URL, whose
   * type was unknown until the last mistake before it was corrected.
   */
  async #takeBack(mistakes: readonly DraftMistake[]): Promise<void> {
    let left = mistakes
    for (let round = 0; round < maximumRounds && left.length > 0; round++) {
      const wrong = left.flatMap(({ file, start, end }) => editAt(file, start, end) ?? [])
      const rest = await this.#remove(wrong, left, this.#weigh(left) - 1)
      if (rest === undefined) return
      left = rest
    }
  }

  /** Removes edits if the mistakes without them weigh at most `allowed`. Returns the mistakes then, otherwise `undefined`. */
  async #remove(
    edits: readonly NameEdit[],
    mistakes: readonly DraftMistake[],
    allowed = this.#weigh(mistakes),
  ): Promise<readonly DraftMistake[] | undefined> {
    const removed = edits.filter((edit) => this.#edits.has(placeKey(edit)))
    if (removed.length === 0) return undefined
    const keys = new Set(removed.map(placeKey))
    this.#show(keys)
    // Most edits are necessary in their own file, whose mistakes are read faster than those of all files.
    const own = new Set(removed.map(({ path }) => path))
    const known = this.#weigh(mistakes.filter(({ file }) => own.has(file.path)))
    if (this.#weigh(await this.#draft.mistakes(own)) > known) return undefined
    const all = await this.#draft.mistakes(this.#paths)
    if (this.#weigh(all) > allowed) return undefined
    for (const key of keys) this.#edits.delete(key)
    return all
  }

  /** Returns a mistake with the name before the rename, and without members of types, whose order follows their names. */
  #describe({ code, message }: DraftMistake): string {
    return `${code} ${message.replaceAll(this.#newName, this.#name).replaceAll(/\{[^{}]*\}/g, '{}')}`
  }

  #addKnown(mistakes: readonly DraftMistake[]): void {
    for (const one of mistakes) this.#known.add(this.#describe(one))
  }

  /** Returns the mistakes that were not there before the rename. */
  #fresh(mistakes: readonly DraftMistake[]): readonly DraftMistake[] {
    return mistakes.filter((one) => !this.#known.has(this.#describe(one)))
  }

  /** Counts mistakes; those that were not there before the rename count twice. */
  #weigh(mistakes: readonly DraftMistake[]): number {
    return mistakes.length + this.#fresh(mistakes).length
  }

  /** Shows all edits but some. */
  #show(without: ReadonlySet<string> = new Set()): void {
    const edits = [...this.#edits].flatMap(([key, edit]) => (without.has(key) ? [] : edit))
    for (const { path } of edits) this.#paths.add(path)
    this.#draft.show([...edits, ...this.#draftEdits])
  }

  async #mistakes(): Promise<readonly DraftMistake[]> {
    this.#show()
    return this.#draft.mistakes(this.#paths)
  }

  /** Removes each uncertain edit without which there are no more mistakes: it has changed another name. Returns the mistakes left. */
  async #prune(
    uncertain: readonly Correction[],
    mistakes: readonly DraftMistake[],
  ): Promise<readonly DraftMistake[]> {
    let left = mistakes
    let tries = 0
    const remove = async (edits: readonly NameEdit[]): Promise<void> => {
      if (++tries <= maximumTries) left = (await this.#remove(edits, left)) ?? left
    }
    for (const { edits, isAtomic } of uncertain.toReversed()) {
      // One edit first: without all of them, there may be as many mistakes as with a wrong one.
      if (isAtomic !== true) for (const edit of edits.toReversed()) await remove([edit])
      if (isAtomic === true || edits.length > 1) await remove(edits)
    }
    this.#show()
    return left
  }
}

/** Returns the files of code and templates that contain a name. */
function filesWith(session: Session, name: string): string[] {
  return session.checkedFiles().filter((path) => {
    const text = session.linesOf(path)?.text ?? ''
    return text.includes(name) && findNameUses(text, name, 0, text.length).length > 0
  })
}
