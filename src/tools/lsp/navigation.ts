/** Definitions, types and references of names in templates and code. */
import type {
  CancellationToken,
  Location,
  LocationLink,
  ReferenceParams,
  TextDocumentPositionParams,
} from 'vscode-languageserver'
import type { Twin } from '../workspace.ts'
import { joinLocations, ResultMapper } from './map-results.ts'
import { findNamed, nameAt } from './names-in-code.ts'
import { pathOf, type Session } from './session.ts'

type Locations = Location | readonly (Location | LocationLink)[] | null

/** The requests whose responses are locations. */
export type LocationMethod =
  | 'textDocument/definition'
  | 'textDocument/typeDefinition'
  | 'textDocument/implementation'

/** Returns where a name is defined: a message in its files, a view or partial in its template, anything else where TypeScript says. */
export async function findDefinition(
  session: Session,
  method: LocationMethod,
  params: TextDocumentPositionParams,
  token: CancellationToken,
): Promise<Location[]> {
  const { textDocument, position } = params
  const mapper = new ResultMapper(session)
  const place = session.templateAt(textDocument, position)
  if (place !== undefined) {
    const { state, twin, offset } = place
    const name = nameAt(state.text, offset)
    const named = name === undefined ? [] : findNamed(session, name, state.file)
    if (named.length > 0) return [...named]
    const code = twin?.toCode(offset)
    if (twin === undefined || code === undefined) return []
    return mapper.locations(await session.askInTwin<Locations>(method, twin, code, token))
  }
  const path = pathOf(textDocument.uri)
  const lines = path === undefined ? undefined : session.linesOf(path)
  if (path === undefined || lines === undefined) return []
  const name = nameAt(lines, lines.offset(position))
  const named = name === undefined ? [] : findNamed(session, name)
  if (named.length > 0 || !session.servesCode) return [...named]
  return mapper.locations(await session.askAt<Locations>(method, path, position, token))
}

/**
 * Returns the offsets in a module that stand for a name in its template. A declared value is a member of the interface `Values`, by
 * which others pass it, and a variable in `render`; other names have one offset.
 */
export async function findCodes(
  session: Session,
  twin: Twin,
  offset: number,
  token: CancellationToken,
): Promise<readonly number[]> {
  const code = twin.toCode(offset)
  if (code === undefined) return []
  const variable = twin.toVariable(offset)
  if (variable !== undefined) return [code, variable]
  const path = session.workspace.modulePath(twin.file)
  const response = await session.askInTwin<Locations>('textDocument/definition', twin, code, token)
  for (const one of [response ?? []].flat()) {
    const [uri, range] =
      'uri' in one ? [one.uri, one.range] : [one.targetUri, one.targetSelectionRange]
    if (pathOf(uri) !== path || twin.copiedRange(range) !== undefined) continue
    const declared = twin.toCode(twin.toTemplate(twin.code.offset(range.start)).offset)
    if (declared !== undefined) return [code, declared]
  }
  return [code]
}

/** Returns where a name is used, in templates and code. */
export async function findReferences(
  session: Session,
  { textDocument, position, context }: ReferenceParams,
  token: CancellationToken,
): Promise<Location[]> {
  const method = 'textDocument/references'
  const mapper = new ResultMapper(session)
  const place = session.templateAt(textDocument, position)
  if (place !== undefined) {
    const { twin, offset } = place
    if (twin === undefined) return []
    const codes = await findCodes(session, twin, offset, token)
    const responses = await Promise.all(
      codes.map((code) => session.askInTwin<Locations>(method, twin, code, token, { context })),
    )
    return joinLocations(...responses.map((one) => mapper.locations(one)))
  }
  const path = pathOf(textDocument.uri)
  if (path === undefined) return []
  const response = await session.askAt<Locations>(method, path, position, token, { context })
  const all = mapper.locations(response)
  // Another server of the editor returns the references in code.
  return session.servesCode ? all : all.filter(({ uri }) => uri.endsWith('.ssp'))
}
