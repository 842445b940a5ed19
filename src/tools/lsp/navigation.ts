/** Definitions, types and references of names in templates and code. */
import type {
  CancellationToken,
  Location,
  LocationLink,
  ReferenceParams,
  TextDocumentPositionParams,
} from 'vscode-languageserver'
import { isJade } from '../../runtime/view.ts'
import type { Twin } from '../workspace.ts'
import type { Column } from './code-fields.ts'
import { FormFields } from './form-fields.ts'
import { joinLocations, ResultMapper } from './map-results.ts'
import { findMessageUses, messagePartAt } from './message-names.ts'
import { findIncludedJade, findNamed, nameAt } from './names-in-code.ts'
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
  const found = await findLinkedDefinition(session, method, params, token)
  const at = session.textAt(params.textDocument, params.position)
  if (found.length > 0 || at === undefined) return found
  // TypeScript does not link the name of a form field to its column.
  const field = new FormFields(session).columnOfUse(at.path, at.offset)
  return field === undefined ? [] : locationsOf(session, [field.column])
}

async function findLinkedDefinition(
  session: Session,
  method: LocationMethod,
  { textDocument, position }: TextDocumentPositionParams,
  token: CancellationToken,
): Promise<Location[]> {
  const mapper = new ResultMapper(session)
  const place = session.templateAt(textDocument, position)
  if (place !== undefined) {
    const { state, twin, offset } = place
    const name = nameAt(state.text, offset)
    const named = name === undefined ? [] : findNamed(session, name, state.file)
    if (named.length > 0) return [...named]
    if (isJade(state.file)) return [...findIncludedJade(session, state, offset)]
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

/** Returns where a name is used, in templates, code and files of messages. */
export async function findReferences(
  session: Session,
  params: ReferenceParams,
  token: CancellationToken,
): Promise<Location[]> {
  const at = session.textAt(params.textDocument, params.position)
  if (at === undefined) return []
  const message = messagePartAt(session, at.path, at.lines, at.offset)
  if (message !== undefined) return locationsOf(session, findMessageUses(session, message.key))
  const linked = await findLinked(session, params, token)
  const fields = new FormFields(session)
  const own = fields.columnOfUse(at.path, at.offset)?.column
  const columns = own === undefined ? columnsAmong(session, fields, linked) : [own]
  if (columns.length === 0) return linked
  const uses = locationsOf(
    session,
    columns.flatMap((column) => fields.namesOf(column).uses),
  )
  const declared =
    own === undefined ? [] : await findLinked(session, toDeclaration(session, own, params), token)
  const all = joinLocations(linked, declared, uses)
  return session.servesCode ? all : all.filter(({ uri }) => uri.endsWith('.ssp'))
}

const locationsOf = (
  session: Session,
  uses: readonly { readonly path: string; readonly start: number; readonly end: number }[],
): Location[] =>
  uses.map(({ path, start, end }) => ({
    uri: session.uriOf(path),
    range: session.linesOf(path)!.range(start, end),
  }))

/** Returns the columns whose declaration is among locations. */
function columnsAmong(
  session: Session,
  fields: FormFields,
  locations: readonly Location[],
): readonly Column[] {
  // A name may have thousands of uses, but few files declare models.
  const usesByFile = Map.groupBy(locations, ({ uri }) => pathOf(uri) ?? '')
  return [...usesByFile].flatMap(([path, uses]) => {
    const lines = fields.hasColumns(path) ? session.linesOf(path) : undefined
    if (lines === undefined) return []
    return uses.flatMap(({ range }) => fields.columnsAt(path, lines.offset(range.start)))
  })
}

/** Returns the parameters of a request for the references of a column. */
const toDeclaration = (
  session: Session,
  { path, start }: Column,
  { context }: ReferenceParams,
): ReferenceParams => ({
  textDocument: { uri: session.uriOf(path) },
  position: session.linesOf(path)!.position(start),
  context,
})

/** Returns the uses that TypeScript finds. */
async function findLinked(
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
