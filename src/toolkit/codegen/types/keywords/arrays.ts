// Keywords for arrays: `items`, `additionalItems`, `minItems`, `maxItems`, `uniqueItems` and `contains` (draft-07 validation,
// section 6.4), and `prefixItems` (2020-12 core, section 10.3.1).

import {
  type Contract,
  isObject,
  type LocatedSchema,
  type Method,
  member,
  reachableSchemas,
  schemaList,
  schemaMember,
  tupleKeywords,
} from '../../../contract/index.js'
import { group } from '../../text.js'
import { type Keyword, range } from '../note-text.js'
import {
  anyJson,
  arrayOf,
  bracketed,
  never,
  type TypeText,
  type TypeWriter,
  tight,
  union,
  type WriteType,
} from '../type-writer.js'

/** Maximum number of items of a list that becomes a tuple. */
const mostCountedItems = 4

/** Returns the type of the lists that a schema accepts. */
export function arrayType(writer: TypeWriter, located: LocatedSchema, write: WriteType): TypeText {
  const every = schemaMember(located, 'items')
  if (every) return uniformType(writer, located, write(every))
  if (!isObject(located.schema) || tupleKeywords(located.schema) === undefined)
    return uniformType(writer, located, anyJson)
  const least = Number(member(located.schema, 'minItems') ?? 0)
  const most = Number(member(located.schema, 'maxItems') ?? Number.POSITIVE_INFINITY)
  if (most < least) return never
  const listed = schemaList(located, 'items')
  const items = listed.slice(0, most).map((item) => write(item))
  const end = items.findIndex(({ text }) => text === never.text)
  if (end >= 0 && end < least) return never
  const fixed = (end < 0 ? items : items.slice(0, end)).map((type, at) =>
    at < least ? type.text : `${bracketed(type)}?`,
  )
  const further = schemaMember(located, 'additionalItems')
  const rest = end >= 0 || most <= listed.length ? never : further ? write(further) : anyJson
  const spread = rest.text === never.text ? [] : [`...${arrayOf(rest).text.replace(/^readonly /, '')}`]
  return tight(tupleText([...fixed, ...spread]))
}

/**
 * Returns the type of a list whose items have one type. A short list is a tuple of each possible length.
 * Libraries such as viem infer from tuples without `readonly` that are empty or have a first item, so short
 * lists of results are such tuples.
 */
function uniformType(writer: TypeWriter, located: LocatedSchema, item: TypeText): TypeText {
  const limit = countedItems(located)
  if (limit === undefined || (limit.most > 0 && !isNameable(item))) return arrayOf(item)
  const { least, most } = limit
  if (most < least) return never
  const items = (length: number) => Array.from({ length }, () => item.text)
  if (most > 0 && resultSchemas(writer.contract).has(located.pointer)) {
    const rest = most === least ? [] : [`...${bracketed(item)}[]`]
    const filled = tight(group('[', [...items(Math.max(least, 1)), ...rest], ']'))
    return least === 0 ? union([tight('[]'), filled]) : filled
  }
  const lengths = Array.from({ length: most - least + 1 }, (_, at) => least + at)
  return union(lengths.map((length) => tight(tupleText(items(length)))))
}

/** Returns true if a type is short enough to be repeated in a tuple. */
function isNameable({ text }: TypeText): boolean {
  return !text.includes('\n') && text.length <= 40 && text !== anyJson.text
}

/** Returns the limits of a list that is short enough for a tuple. */
export function countedItems({
  schema,
}: LocatedSchema): { readonly least: number; readonly most: number } | undefined {
  const most = isObject(schema) ? member(schema, 'maxItems') : undefined
  if (!isObject(schema) || typeof most !== 'number' || most > mostCountedItems) return undefined
  return { least: Number(member(schema, 'minItems') ?? 0), most }
}

/** Returns true if results have lists whose type is a tuple without `readonly`. */
export function hasMutableTuples(contract: Contract): boolean {
  const pointers = resultSchemas(contract)
  return reachableSchemas(contract).some(
    (located) => pointers.has(located.pointer) && (countedItems(located)?.most ?? 0) > 0,
  )
}

/** Returns a tuple that cannot be changed. */
function tupleText(items: readonly string[]): string {
  return `readonly ${group('[', items, ']')}`
}

const known = new WeakMap<Contract, ReadonlySet<string>>()

/** Returns the pointers of the schemas that only results use, and no parameter. */
export function resultSchemas(contract: Contract): ReadonlySet<string> {
  const found = known.get(contract) ?? findResultSchemas(contract)
  known.set(contract, found)
  return found
}

function findResultSchemas(contract: Contract): ReadonlySet<string> {
  const reached = (part: (method: Method) => Method) => {
    const methods = contract.methods.map(part)
    const all = reachableSchemas({ ...contract, methods, schemas: [], errors: [] })
    return all.map(({ pointer }) => pointer)
  }
  const taken = new Set(reached((method) => ({ ...method, result: undefined })))
  return new Set(reached((method) => ({ ...method, params: [] })).filter((pointer) => !taken.has(pointer)))
}

/** Describes the constraints of lists. */
export function arrayNotes(value: Keyword): readonly string[] {
  return [
    range('Items', value('minItems'), value('maxItems')),
    value('uniqueItems') === true ? 'Items are unique.' : '',
    value('contains') === undefined ? '' : 'At least one item must match a given schema.',
  ]
}

/** Says whether a list has further items (`unevaluatedItems`: 2020-12 core, section 11.2). */
export function unevaluatedNotes(value: Keyword): readonly string[] {
  return [value('unevaluatedItems') === false ? 'No further items.' : '']
}
