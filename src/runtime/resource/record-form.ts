/** The texts that the form of a record shows, and the fields whose values a request leaves unchanged. */
import { escapeXml, isXmlType, JsonNumber, numberText, parseExactJson } from '../http.ts'
import { textMembers } from '../model.ts'
import {
  formatText,
  formText,
  isInstantType,
  isListType,
  isOptionalType,
  jsonOf,
  listItems,
  listText,
  type OverlayEntry,
  Params,
  type ParamType,
  type ParamTypes,
  readInstantText,
  readPermitted,
  textsFor,
  textsOf,
} from '../params.ts'
import { toJsonMember, toXmlContents } from './entity-body.ts'
import type { ResourceController } from './resource-controller.ts'

type Members = Readonly<Record<string, unknown>>

/** Returns the form parameters of a record: the texts that the types of its fields format. */
export function formParams(c: ResourceController, record: object): Params {
  const entries: OverlayEntry[] = []
  for (const [key, type] of Object.entries(c.updateFormStrongParameters)) {
    const value = (record as Members)[key]
    const text = formText(type, value)
    if (text !== undefined) entries.push([key, [text]])
    else if (Array.isArray(value) && isListType(type)) {
      const items = listItems(type.element!, value)
      entries.push([key, items.map((item) => (item === null ? '' : String(item))), items])
    }
  }
  return c.params.withModel(record).overlay(entries)
}

/** The fields whose values a request leaves unchanged. */
export interface UnchangedFields {
  readonly keys: ReadonlySet<string>
  /**
   * Those whose stored value the field's type does not convert, such as `infinity`, or which is blank. A rule that refused them
   * would prevent every change of the record.
   */
  readonly unreadable: ReadonlySet<string>
}

/**
 * Finds the fields that have the text that the record's form shows, or the value that its JSON or XML contains. `params` are those
 * of the update, and `types` the types of the fields in the body.
 */
export function findUnchanged(
  c: ResourceController,
  record: object,
  { params, types }: { readonly params: Params; readonly types: ParamTypes },
): UnchangedFields {
  const [keys, unreadable] = [new Set<string>(), new Set<string>()]
  const compare = chooseComparison(c, record, params)
  for (const [key, type] of Object.entries(types)) {
    if (!(key in record) || key === c.model.lockVersion || !compare(key, type)) continue
    keys.add(key)
    const hasValue = ((record as Members)[key] ?? null) !== null
    if (hasValue && !isReadable(params, key, type)) unreadable.add(key)
  }
  return { keys, unreadable }
}

const isReadable = (params: Params, key: string, type: ParamType<unknown>): boolean =>
  params.get(key)?.trim() !== '' && !Array.isArray(readPermitted(params.source, { [key]: type }))

type Comparison = (key: string, type: ParamType<unknown>) => boolean

function chooseComparison(c: ResourceController, record: object, params: Params): Comparison {
  const { parsedBody, mediaType } = c.request
  if (parsedBody === undefined) return formComparison(c, record, params)
  const members = textMembers(record) as Members
  const { source } = params
  if (isXmlType(mediaType ?? ''))
    return (key, type) => {
      const sent = textsOf(source, key)
      const contents = toXmlContents(members[key], c.model.columns?.[key] ?? type)
      if (sent === undefined && typeof type.permit(undefined) === 'symbol') return false
      return isSameList((sent ?? []).map(escapeXml), contents)
    }
  return (key, type) => {
    const sent = sentJson(params, key, type)
    if (sent === undefined) return isAbsentValue(type, members[key])
    const own = JSON.stringify(toJsonMember(members[key], c.model.columns?.[key] ?? type))
    return isSameJson(sent, parseExactJson(own))
  }
}

/** Returns a field's value in a JSON body. The text of a field of JSON has replaced its value, so that rules see it. */
function sentJson({ source }: Params, key: string, { definition }: ParamType<unknown>): unknown {
  const value = jsonOf(source, key)
  if (value !== undefined) return value
  const [text] = textsOf(source, key) ?? []
  return text !== undefined && definition?.isJson === true ? parseExactJson(text) : text
}

/** Whether the stored value is the one that an absent field means, as an unticked checkbox means false. */
function isAbsentValue(type: ParamType<unknown>, value: unknown): boolean {
  const meant = type.permit(undefined)
  if (typeof meant === 'symbol') return false
  if (Array.isArray(meant)) return value === undefined || isSameList(meant, value)
  return value === undefined || value === meant
}

const isSameList = (one: readonly unknown[], other: unknown): boolean =>
  Array.isArray(other) && one.length === other.length && one.every((item, at) => item === other[at])

/** Whether two values of JSON are equal. The notation of their numbers and the order of their keys do not count. */
function isSameJson(one: unknown, other: unknown): boolean {
  const numbers = [one, other].map(numberOf)
  if (numbers[0] !== undefined) return numbers[0] === numbers[1]
  if (typeof one !== 'object' || one === null) return one === other
  if (typeof other !== 'object' || other === null) return false
  const keys = Object.keys(one)
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(other).length &&
    keys.every(
      (key) =>
        Object.hasOwn(other, key) && isSameJson((one as Members)[key], (other as Members)[key]),
    )
  )
}

const numberOf = (value: unknown): string | undefined =>
  value instanceof JsonNumber
    ? String(value)
    : typeof value === 'number'
      ? numberText(value)
      : undefined

function formComparison(c: ResourceController, record: object, params: Params): Comparison {
  const shown = formParams(c, record)
  return (key, type) => {
    const value = (record as Members)[key]
    const sent = textsFor(params.source, key, type)
    if (sent === undefined) return isAbsentValue(type, value)
    if (isListType(type)) return isShownList(c.params, key, shown)
    const text = shownText(c.params, key, type, shown)
    if (text === undefined || !isInstantType(type))
      return text !== undefined && isSameText(type, sent[0]!, text)
    // A clock shows an hour twice in autumn, so compare what the form shows.
    const written = textsOf(params.source, key)![0]!
    return written === text || isSameText(type, sent[0]!, readInstantText(params.source, key, text))
  }
}

/** Whether the request has a list as one input or as several inputs show it. */
function isShownList(sent: Params, key: string, shown: Params): boolean {
  const texts = textsOf(sent.source, key)?.map(withLineFeeds)
  const items = textsOf(shown.source, key) ?? []
  if (texts === undefined) return false
  const list = jsonOf(shown.source, key)
  const oneInput = [items.join('\n'), listText(Array.isArray(list) ? list : [])]
  const isOneInput = texts.length === 1 && oneInput.map(withLineFeeds).includes(texts[0]!)
  return isOneInput || isSameList(texts, items)
}

const dateParts = 'Date Time Year Month Day Hour Minute Second Exact'.split(' ')

/** Returns the text that the form shows: of the field's input, or of those inputs of a date that the request has. */
function shownText(
  sent: Params,
  key: string,
  { definition }: ParamType<unknown>,
  shown: Params,
): string | undefined {
  const method = definition?.field?.paramsMethod
  if (method === undefined || sent.has(key)) return shown.get(key) ?? ''
  const inputs = dateParts.filter((part) => sent.has(key + part))
  const texts = inputs.map((part) => [key + part, shown.get(key + part) ?? ''] as const)
  return inputs.length === 0
    ? undefined
    : Params.from(Object.fromEntries(texts))[method](key).get(key)
}

/** Browsers change the line breaks of a text. */
const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n')

/** Whether two texts are equal, or two notations of one value. */
function isSameText(type: ParamType<unknown>, sent: string, shown: string): boolean {
  if (withLineFeeds(sent) === withLineFeeds(shown)) return true
  if ((sent === '' || shown === '') && isOptionalType(type)) return false
  const [one, other] = [type.parse(sent), type.parse(shown)]
  if (one === undefined || other === undefined) return false
  return formatText(type, one) === formatText(type, other)
}
