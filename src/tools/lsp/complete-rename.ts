/**
 * Completes the rename of a member: the keys and texts that contain its name, such as in `permit({ name: … })` and `orderBy('name')`.
 * TypeScript does not link them to the member, but reports them after the rename.
 */
import type {
  CancellationToken,
  Location,
  LocationLink,
  SelectionRange,
  WorkspaceEdit,
} from 'vscode-languageserver'
import { findNameUses, type NameUse, renamedUse } from './name-uses.ts'
import { editsOf } from './map-results.ts'
import { codeFiles } from './rename-files.ts'
import {
  describeMistake,
  type DraftFile,
  type DraftMistake,
  editAt,
  type NameEdit,
  offsetsOf,
  originalRange,
  placeKey,
  RenameDraft,
} from './rename-draft.ts'
import { requiredColumn } from './required-column.ts'
import { refuse, type Session } from './session.ts'

/** The largest number of times that mistakes are read and corrected. */
const maximumRounds = 10
/** The largest number of edits that are tried one by one. */
const maximumTries = 40
/** The largest code around a mistake that is searched for the name, in UTF-16 code units. */
const maximumAround = 3000
/** The largest number of requests for definitions. */
const maximumDefinitions = 100
/** The number of definitions that are followed from a mistake to the name. */
const maximumDepth = 3

/** Codes of errors that the new name itself causes: syntax errors, reserved words and duplicate names. */
const mistakesOfName = /^TS(?:1[01]\d\d|12[01]\d|1359|2300|2451)$/

/** Edits for one mistake. */
interface Correction {
  readonly edits: readonly NameEdit[]
  /** Whether the mistake is exactly at the name, so that the edits need no proof. */
  readonly isCertain: boolean
  /** Whether TypeScript has renamed a declaration with all of its uses. */
  readonly isAtomic?: boolean
}

/** Returns whether edits rename a member: a variable has no keys and texts. */
export function renamesMember(session: Session, edits: readonly NameEdit[]): boolean {
  return edits.some(({ path, start, end }) => {
    const text = session.linesOf(path)?.text ?? ''
    return findNameUses(text, text.slice(start, end), start, end).length > 0
  })
}

/** The edits of a rename, and the mistakes that they cause. */
export interface CompletedRename {
  readonly edits: readonly NameEdit[]
  readonly left: readonly DraftMistake[]
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
  if (session.typescript === undefined || !renamesMember(session, edits)) return { edits, left: [] }
  return session.typescript.withDraft((draft) =>
    new Completion(session, new RenameDraft(session, draft, token), names).run(edits),
  )
}

class Completion {
  readonly #session: Session
  readonly #draft: RenameDraft
  readonly #name: string
  readonly #newName: string
  /** The files that contain the name, and those with edits. */
  readonly #paths: Set<string>
  readonly #edits = new Map<string, NameEdit>()
  /** Edits that only the draft has. They make renamed columns required, because TypeScript accepts a write without an optional one. */
  #draftEdits: readonly NameEdit[] = []
  /** The descriptions of the mistakes before the rename. */
  readonly #known = new Set<string>()
  #definitions = 0

  constructor(
    session: Session,
    draft: RenameDraft,
    { name, newName }: { readonly name: string; readonly newName: string },
  ) {
    this.#session = session
    this.#draft = draft
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
      const corrections = await this.#corrections(this.#fresh(mistakes))
      if (corrections.length === 0) break
      for (const one of corrections) {
        for (const edit of one.edits) this.#edits.set(placeKey(edit), edit)
        if (!one.isCertain) uncertain.push(one)
      }
      mistakes = await this.#mistakes()
    }
    const pruned = await this.#prune(uncertain, mistakes)
    if (this.#weigh(pruned) > before.length) await this.#takeBack(pruned)
    const left = this.#fresh(await this.#completeEverywhere())
    return { edits: [...this.#edits.values()], left }
  }

  /**
   * Reads the mistakes of all files: those without the name can have mistakes because a type leaves the name out. Then tries all
   * other texts with the name. Returns the mistakes that are left.
   */
  async #completeEverywhere(): Promise<readonly DraftMistake[]> {
    for (const path of allFiles(this.#session)) this.#paths.add(path)
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
      return this.#toEdits(
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

  /** Returns corrections by edits that are not made yet: the certain ones, because others may be their consequences, or else others. */
  async #corrections(mistakes: readonly DraftMistake[]): Promise<readonly Correction[]> {
    const seen = new Set<string>(this.#edits.keys())
    const withoutSeen = (edits: readonly NameEdit[]): readonly NameEdit[] => {
      const others = edits.filter((edit) => !seen.has(placeKey(edit)))
      for (const edit of others) seen.add(placeKey(edit))
      return others
    }
    const named = mistakes.flatMap((one) =>
      withoutSeen(this.#toEdits(one.file, this.#namedUses(one))),
    )
    if (named.length > 0) return [{ edits: named, isCertain: true }]
    const found: Correction[] = []
    for (const mistake of mistakes) {
      const { edits, ...rest } = await this.#correct(mistake)
      const others = withoutSeen(edits)
      if (others.length > 0) found.push({ ...rest, edits: others })
    }
    return found
  }

  async #correct(mistake: DraftMistake): Promise<Correction> {
    const { file, start, end } = mistake
    const declared = await this.#renameRelated(mistake)
    if (declared.length > 0) return { edits: declared, isCertain: false, isAtomic: true }
    const uses = this.#usesIn(file, start, end)
    const edits = uses.length > 0 ? uses : await this.#searchAround(file, start, end)
    return { edits, isCertain: false }
  }

  /** Returns the use of the name that a mistake is exactly about; otherwise nothing. */
  #namedUses({ file, start, end, message }: DraftMistake): readonly NameUse[] {
    const name = this.#name
    const uses = findNameUses(file.lines.text, name, start, end + name.length + 5)
    // An error about the text of a property is at the property or at its key.
    if (message.includes(`'"${name}"' is not assignable`)) {
      const texts = uses.filter(({ kind }) => kind === 'text')
      if (texts.length === 1) return texts
    }
    const [use] = uses
    return use !== undefined && use.start - start <= 1 && Math.abs(end - use.end) <= 1 ? [use] : []
  }

  #usesIn(file: DraftFile, start: number, end: number): readonly NameEdit[] {
    return this.#toEdits(file, findNameUses(file.lines.text, this.#name, start, end))
  }

  #toEdits(file: DraftFile, uses: readonly NameUse[]): NameEdit[] {
    return uses.flatMap((use) => {
      const range = originalRange(file, use.start, use.end)
      const newText = renamedUse(use, this.#name, this.#newName)
      return range === undefined ? [] : [{ path: file.path, ...range, newText }]
    })
  }

  /** Renames the declaration of the member that is missing in another type, such as of a parameter. */
  async #renameRelated({ related }: DraftMistake): Promise<readonly NameEdit[]> {
    for (const { location } of related) {
      const file = this.#draft.fileOfDocument(location.uri)
      if (file === undefined) continue
      const [start, end] = offsetsOf(file, location.range)
      if (file.lines.text.slice(start, end) !== this.#name) continue
      const edit = await this.#draft.ask<WorkspaceEdit>('textDocument/rename', file, {
        position: location.range.start,
        newName: this.#newName,
      })
      return editsOf(edit).flatMap(([uri, edits]) => {
        const other = this.#draft.fileOfDocument(uri)
        if (other === undefined) return []
        return edits.flatMap(({ range, newText }) => {
          const original = originalRange(other, ...offsetsOf(other, range))
          return original === undefined ? [] : [{ path: other.path, ...original, newText }]
        })
      })
    }
    return []
  }

  /** Returns the uses of the name in the code around a mistake, or else where the variables in this code are defined. */
  async #searchAround(file: DraftFile, start: number, end: number): Promise<readonly NameEdit[]> {
    const ranges = await this.#rangesAround(file, start)
    for (const [from, to] of ranges) {
      if (from > start || to < end || to - from > maximumAround) continue
      const uses = this.#usesIn(file, from, to)
      if (uses.length > 0) return uses
      const defined = await this.#searchDefinitions(file, from, to)
      if (defined.length > 0) return defined
    }
    return []
  }

  async #rangesAround(file: DraftFile, offset: number): Promise<[number, number][]> {
    const positions = [file.lines.position(offset)]
    const response = await this.#draft.ask<SelectionRange[]>('textDocument/selectionRange', file, {
      positions,
    })
    const ranges: [number, number][] = []
    for (let one = response?.[0]; one !== undefined; one = one.parent)
      ranges.push(offsetsOf(file, one.range))
    return ranges
  }

  /** Returns the uses in the declarations of the variables between two offsets, and of the variables in these declarations. */
  async #searchDefinitions(
    file: DraftFile,
    from: number,
    to: number,
    depth = 0,
  ): Promise<readonly NameEdit[]> {
    if (depth === maximumDepth) return []
    const code = file.lines.text.slice(from, to)
    for (const { index } of code.matchAll(/(?<![\w$'"`])[a-z_$][\w$]*(?!['"`\w$])/gi)) {
      const definition = await this.#definition(file, from + index)
      if (definition === undefined) continue
      const [other, start, end] = definition
      if (other === file && start <= from && to <= end) continue
      if (end - start > maximumAround) continue
      const uses = this.#usesIn(other, start, end)
      if (uses.length > 0) return uses
      const further = await this.#searchDefinitions(other, start, end, depth + 1)
      if (further.length > 0) return further
    }
    return []
  }

  /** Returns the file and offsets of the declaration of a variable in the application. */
  async #definition(
    file: DraftFile,
    offset: number,
  ): Promise<readonly [DraftFile, number, number] | undefined> {
    if (++this.#definitions > maximumDefinitions) return undefined
    const response = await this.#draft.ask<Location | (Location | LocationLink)[]>(
      'textDocument/definition',
      file,
      { position: file.lines.position(offset) },
    )
    const [one] = [response ?? []].flat()
    if (one === undefined) return undefined
    const [uri, range] = 'uri' in one ? [one.uri, one.range] : [one.targetUri, one.targetRange]
    const other = this.#draft.fileOfDocument(uri)
    return other && [other, ...offsetsOf(other, range)]
  }
}

/** Returns the files of code, and the templates that have a module. */
export function allFiles(session: Session): string[] {
  const { workspace } = session
  const templates = [...workspace.states.values()].filter(({ twin }) => twin !== undefined)
  return [...templates.map(({ file }) => workspace.pathOf(file)), ...codeFiles(session)]
}

/** Returns the files of code and templates that contain a name. */
function filesWith(session: Session, name: string): string[] {
  return allFiles(session).filter((path) => {
    const text = session.linesOf(path)?.text ?? ''
    return text.includes(name) && findNameUses(text, name, 0, text.length).length > 0
  })
}
