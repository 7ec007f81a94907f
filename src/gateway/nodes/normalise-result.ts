import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { isHex, isList, isObject, isQuantity, toQuantity } from '../ethereum/index.js'
import { profileOf } from '../profiles/index.js'
import { type Form, type ObjectShape, resultShapes, type Shape } from './result-shape.js'

/**
 * Normalises a node's result by the contract's schemas (`result-shape.ts`): strings in the contract's form, only listed
 * members, constants for omitted members, and null for the position of pending objects.
 * @param method the called method; results of methods outside the contract are returned unchanged
 * @param params the parameters of the call
 * @param result as the node sent it, not null
 * @returns undefined when the result does not have a type of the method's result
 */
export function normaliseResult(
  method: string,
  params: readonly JsonValue[],
  result: JsonValue,
): JsonValue | undefined {
  const answered = resultShapes.get(method)
  if (answered === undefined) return result
  return normalise(answered.shape, result, profileOf(method).about.selector(params) === 'pending')
}

/**
 * Normalises a whole result by its shape. Values of an unexpected type inside lists and objects stay unchanged.
 * @param isPending true where the call is about the pending block
 * @returns undefined when the result does not have a type of the shape
 */
export function normalise(shape: Shape, result: JsonValue, isPending: boolean): JsonValue | undefined {
  const { types, form } = shape
  if (form !== undefined && !isObject(result) && !isList(result)) return scalars[form](result)
  if (types.size > 0 && !types.has(typeOf(result))) return undefined
  return made(result, shape, isPending)
}

const typeOf = (value: JsonValue) => (isList(value) ? 'array' : typeof value)

/** A value as the contract writes it; the value itself when nothing in it changes. */
function made(value: JsonValue, shape: Shape, isPending: boolean): JsonValue {
  const { form, items, object } = shape
  if (typeof value === 'string') return written(value, form)
  if (value === null) return value
  if (isList(value)) return items === undefined ? value : each(value, items, isPending)
  if (isObject(value)) return object === undefined ? value : members(value, object, isPending)
  return form === 'quantity' ? (quantity(value) ?? value) : value
}

/** A list with its entries as the contract writes them; the list itself when none of them changes. */
function each(list: readonly JsonValue[], shape: Shape, isPending: boolean): readonly JsonValue[] {
  let changed: JsonValue[] | undefined
  for (let at = 0; at < list.length; at++) {
    const entry = list[at] ?? null
    const kept = made(entry, shape, isPending)
    if (changed === undefined && kept === entry) continue
    changed ??= list.slice(0, at)
    changed.push(kept)
  }
  return changed ?? list
}

/**
 * Normalises the listed members of an object, in the node's order, and removes the others. An object without changes is
 * not copied, because most nodes already send the contract's form. No object is copied twice.
 */
function members(object: JsonObject, shape: ObjectShape, isPending: boolean): JsonObject {
  let changed: Changeable | undefined
  for (const name in object) {
    const value = object[name]
    if (value === undefined) continue
    const listed = shape.members.get(name)
    const kept = listed === undefined ? undefined : made(value, listed, isPending)
    if (changed === undefined && kept === value) continue
    changed ??= membersBefore(object, name)
    if (kept !== undefined) changed[name] = kept
  }
  for (const { name, constant } of shape.constants) {
    if (object[name] !== undefined) continue
    changed ??= copyOf(object)
    changed[name] = constant
  }
  const { nullWhenPending } = shape
  const first = nullWhenPending[0]
  if (first !== undefined && (isPending || (changed ?? object)[first] === null)) {
    for (const name of nullWhenPending) {
      if ((changed ?? object)[name] === null) continue
      changed ??= copyOf(object)
      changed[name] = null
    }
  }
  return changed ?? object
}

type Changeable = { [member: string]: JsonValue }

const copyOf = (object: JsonObject) => ({ ...object }) as Changeable

function membersBefore(object: JsonObject, end: string): Changeable {
  const before: Changeable = {}
  for (const name in object) {
    if (name === end) break
    const value = object[name]
    if (value !== undefined) before[name] = value
  }
  return before
}

/** A member in a form of the contract; a text that is not hexadecimal is left as it is, and no size changes. */
function written(value: string, form: Form | undefined): string {
  switch (form) {
    case 'quantity':
    case 'safeQuantity':
      return minimal(value)
    case 'data':
    case 'word':
      return lowerCase(value)
    default:
      return value
  }
}

const DIGIT_0 = 0x30

/** A quantity without needless zeros; most are so already. */
function minimal(value: string): string {
  const isMinimal = value.startsWith('0x') && (value.length === 3 || value.charCodeAt(2) !== DIGIT_0)
  return isMinimal && value.length > 2 && value.toLowerCase() === value ? value : (quantity(value) ?? value)
}

/** A hexadecimal string in lower case, any other text as it is. */
function lowerCase(value: string): string {
  const lower = value.toLowerCase()
  return lower === value || !isHex(value) ? value : lower
}

/**
 * Finds the members that the contract requires of a result, or of the entries of a list, and that a node did not send.
 * Such an answer is passed on as it is, and logged.
 * @param result normalised
 * @returns undefined when none is missing
 */
export function missingMembers(method: string, result: JsonValue): readonly string[] | undefined {
  const shape = resultShapes.get(method)?.shape
  if (!isList(result)) return missingIn(shape?.object, result)
  const missing = new Set(result.flatMap((entry) => missingIn(shape?.items?.object, entry) ?? []))
  return missing.size === 0 ? undefined : [...missing]
}

function missingIn(shape: ObjectShape | undefined, object: JsonValue): readonly string[] | undefined {
  if (shape === undefined || !isObject(object)) return undefined
  let missing: string[] | undefined
  for (const member of shape.required) {
    if (object[member] !== undefined) continue
    missing ??= []
    missing.push(member)
  }
  return missing
}

/** Makes a node's scalar the contract's; undefined when it cannot be. */
type NormaliseScalar = (value: JsonValue) => string | undefined

const canonical = /^0x(?:0|[1-9a-f][0-9a-f]*)$/

/** Decimal digits, as many as 256 bits have at most: the time to convert them grows with the square of their number. */
const decimal = /^[0-9]{1,78}$/

/** A quantity: minimal and in lower case, also from a JSON number or decimal digits (specification 2.1). */
const quantity: NormaliseScalar = (value) => {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && value >= 0 ? toQuantity(value) : undefined
  if (typeof value !== 'string') return undefined
  if (canonical.test(value)) return value
  if (value === '0x') return '0x0'
  if (isQuantity(value))
    return `0x${value
      .slice(2)
      .toLowerCase()
      .replace(/^0+(?=.)/, '')}`
  return decimal.test(value) ? toQuantity(BigInt(value)) : undefined
}

/** A quantity that JSON numbers hold exactly, such as a number that a block can have. */
const safeQuantity: NormaliseScalar = (value) => {
  const number = quantity(value)
  return number !== undefined && Number.isSafeInteger(Number(number)) ? number : undefined
}

/** Bytes in lower case. */
const data: NormaliseScalar = (value) =>
  isHex(value) && value.length % 2 === 0 ? value.toLowerCase() : undefined

/** 32 bytes, leading zeros kept; nodes leave them out of storage values. */
const word: NormaliseScalar = (value) =>
  isHex(value) && value.length <= 66 ? `0x${value.slice(2).toLowerCase().padStart(64, '0')}` : undefined

/** A text with something in it. */
const text: NormaliseScalar = (value) => (typeof value === 'string' && value !== '' ? value : undefined)

/** Makes a result that is a scalar the contract's, by the form that the contract states. */
const scalars: Readonly<Record<Form, NormaliseScalar>> = { quantity, safeQuantity, data, word, text }
