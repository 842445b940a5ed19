/** Converts places that TypeScript returns, which may be in modules of templates, to places of the editor. */
import type {
  Location,
  LocationLink,
  Range,
  TextDocumentEdit,
  TextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver'
import type { TemplateState } from '../workspace.ts'
import { pathOf, type Session } from './session.ts'

/** The places of TypeScript's response to one request. Create it before the request, because later edits move the places. */
export class ResultMapper {
  readonly #session: Session
  readonly #states: ReadonlyMap<string, TemplateState>

  constructor(session: Session) {
    this.#session = session
    this.#states = session.workspace.states
  }

  /** Returns the template whose module has a path. */
  #templateOf(path: string): TemplateState | undefined {
    const file = this.#session.workspace.templateOfModule(path)
    return file === undefined ? undefined : this.#states.get(file)
  }

  #isGenerated(path: string): boolean {
    return this.#session.workspace.templateOfModule(path) !== undefined
  }

  /** Returns a location in the editor; `undefined` for generated code. */
  location(uri: string, range: Range): Location | undefined {
    const path = pathOf(uri)
    if (path === undefined) return { uri, range }
    const state = this.#templateOf(path)
    if (state?.twin !== undefined) {
      const templateUri = this.#session.uriOf(this.#session.workspace.pathOf(state.file))
      return { uri: templateUri, range: state.twin.nearestRange(range) }
    }
    return this.#isGenerated(path) ? undefined : { uri: this.#session.uriOf(path), range }
  }

  /** Returns the locations of a response, without duplicates. */
  locations(
    response: Location | readonly (Location | LocationLink)[] | null | undefined,
  ): Location[] {
    const all = response == null ? [] : 'uri' in response ? [response] : response
    const found = new Map<string, Location>()
    for (const one of all) {
      const location =
        'uri' in one
          ? this.location(one.uri, one.range)
          : this.location(one.targetUri, one.targetSelectionRange)
      if (location !== undefined) found.set(keyOf(location), location)
    }
    return [...found.values()]
  }

  /**
   * Returns the edits of a file in the editor; of a template only those in code that is copied from it. `undefined` for a generated
   * file.
   */
  edits(uri: string, edits: readonly TextEdit[]): { uri: string; edits: TextEdit[] } | undefined {
    const path = pathOf(uri)
    if (path === undefined) return { uri, edits: [...edits] }
    const state = this.#templateOf(path)
    if (state?.twin === undefined)
      return this.#isGenerated(path)
        ? undefined
        : { uri: this.#session.uriOf(path), edits: [...edits] }
    const { twin } = state
    const copied = edits.flatMap((edit) => {
      const range = twin.copiedRange(edit.range)
      return range === undefined ? [] : [{ ...edit, range }]
    })
    return { uri: this.#session.uriOf(this.#session.workspace.pathOf(state.file)), edits: copied }
  }
}

const keyOf = ({ uri, range: { start, end } }: Location): string =>
  `${uri} ${start.line}:${start.character}-${end.line}:${end.character}`

/** Joins lists of locations, without duplicates. */
export const joinLocations = (...lists: readonly (readonly Location[])[]): Location[] => [
  ...new Map(lists.flat().map((one) => [keyOf(one), one])).values(),
]

/** Returns the edits of each file, in both forms of a response. */
export function editsOf(
  edit: WorkspaceEdit | null | undefined,
): readonly (readonly [uri: string, edits: readonly TextEdit[]])[] {
  const changed = (edit?.documentChanges ?? []).filter(
    (one): one is TextDocumentEdit => 'textDocument' in one,
  )
  return [
    ...Object.entries(edit?.changes ?? {}),
    ...changed.map((one) => [one.textDocument.uri, one.edits as TextEdit[]] as const),
  ]
}
