/** Finds edits that may correct the mistakes after the rename of a member, where code contains its name. */
import type { Location, LocationLink, SelectionRange, WorkspaceEdit } from 'vscode-languageserver'
import { editsOf } from './map-results.ts'
import { findNameUses, type NameUse, renamedUse } from './name-uses.ts'
import {
  type DraftFile,
  type DraftMistake,
  type NameEdit,
  offsetsOf,
  originalRange,
  placeKey,
  type RenameDraft,
} from './rename-draft.ts'

/** The largest code around a mistake that is searched for the name, in UTF-16 code units. */
const maximumAround = 3000
/** The largest number of requests for definitions. */
const maximumDefinitions = 100
/** The number of definitions that are followed from a mistake to the name. */
const maximumDepth = 3

/** Edits for one mistake. */
export interface Correction {
  readonly edits: readonly NameEdit[]
  /** Whether the mistake is exactly at the name, so that the edits need no proof. */
  readonly isCertain: boolean
  /** Whether TypeScript has renamed a declaration with all of its uses. */
  readonly isAtomic?: boolean
}

/** Finds the corrections of one rename. */
export class CorrectionFinder {
  readonly #draft: RenameDraft
  readonly #name: string
  readonly #newName: string
  #definitions = 0

  constructor(
    draft: RenameDraft,
    { name, newName }: { readonly name: string; readonly newName: string },
  ) {
    this.#draft = draft
    this.#name = name
    this.#newName = newName
  }

  /**
   * Returns corrections: the certain ones, because others may be their consequences, or else others.
   * @param known the places of the edits that are made already
   */
  async find(
    mistakes: readonly DraftMistake[],
    known: ReadonlySet<string>,
  ): Promise<readonly Correction[]> {
    const seen = new Set(known)
    const withoutSeen = (edits: readonly NameEdit[]): readonly NameEdit[] => {
      const others = edits.filter((edit) => !seen.has(placeKey(edit)))
      for (const edit of others) seen.add(placeKey(edit))
      return others
    }
    const named = mistakes.flatMap((one) =>
      withoutSeen(this.toEdits(one.file, this.#namedUses(one))),
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
    return this.toEdits(file, findNameUses(file.lines.text, this.#name, start, end))
  }

  /** Returns the edits that rename uses in the document of a file. */
  toEdits(file: DraftFile, uses: readonly NameUse[]): NameEdit[] {
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
