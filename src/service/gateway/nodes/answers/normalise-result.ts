import type { JsonObject, JsonValue } from '@concordat/rpc'
import { isHex, isList, isObject, isQuantity, toQuantity } from '../../ethereum/index.js'
import { profileOf } from '../../profiles/index.js'
import type { OnDropped } from './dropped-members.js'
import { type Form, type ObjectShape, resultShapes, type Shape } from './result-shape.js'

/**
 * Normalises a node's result by the contract's schemas (`result-shape.ts`). Strings get the contract's form,
 * and unlisted members are removed. Omitted members get their constants, and the position of pending objects
 * becomes null.
 * @param method the called method; results of methods outside the contract are returned unchanged
 * @param params the parameters of the call
 * @param result as the node sent it, not null
 * @param onDropped receives the members that are removed
 * @returns undefined for a result of the wrong type, and for an object with none of the required members
 */
export function normaliseResult(
  method: string,
  params: readonly JsonValue[],
  result: JsonValue,
  onDropped?: OnDropped,
): JsonValue | undefined {
  const answered = resultShapes.get(method)
  if (answered === undefined) return result
  const isPending = profileOf(method).about.selector(params) === 'pending'
  return normalise(answered.shape, result, isPending, onDropped)
}

/**
 * Normalises a whole result by its shape. Values of an unexpected type inside lists and objects stay
 * unchanged.
 * @param isPending true for a call about the pending block
 * @param onDropped receives the members that are removed
 * @returns undefined for a result of the wrong type, and for an object with none of the required members
 */
export function normalise(
  shape: Shape,
  result: JsonValue,
  isPending: boolean,
  onDropped?: OnDropped,
): JsonValue | undefined {
  const { types, form } = shape
  if (form !== undefined && !isObject(result) && !isList(result)) return scalars[form](result)
  if (types.size > 0 && !types.has(typeOf(result))) return undefined
  if (isOther(result, shape.object)) return undefined
  return made(result, shape, isPending, onDropped)
}

/** True for an object with none of the members that a node must send: it is not of this kind. */
const isOther = (value: JsonValue, shape: ObjectShape | undefined) =>
  shape !== undefined &&
  shape.required.length > 0 &&
  isObject(value) &&
  shape.required.every((member) => value[member] === undefined)

const typeOf = (value: JsonValue) => (isList(value) ? 'array' : typeof value)

/** Normalises a value; returns the same value if nothing changes. */
function made(value: JsonValue, shape: Shape, isPending: boolean, onDropped?: OnDropped): JsonValue {
  const { form, items, object } = shape
  if (typeof value === 'string') return written(value, form)
  if (value === null) return value
  if (isList(value)) return items === undefined ? value : each(value, items, isPending, onDropped)
  if (isObject(value)) return object === undefined ? value : members(value, object, isPending, onDropped)
  return form === 'quantity' ? (quantity(value) ?? value) : value
}

/** Normalises the entries of a list; returns the same list if nothing changes. */
function each(
  list: readonly JsonValue[],
  shape: Shape,
  isPending: boolean,
  onDropped?: OnDropped,
): readonly JsonValue[] {
  let changed: JsonValue[] | undefined
  for (let at = 0; at < list.length; at++) {
    const entry = list[at] ?? null
    const kept = made(entry, shape, isPending, onDropped)
    if (changed === undefined && kept === entry) continue
    changed ??= list.slice(0, at)
    changed.push(kept)
  }
  return changed ?? list
}

/**
 * Normalises the listed members of an object, in the node's order, and removes all other members. An
 * unchanged object is not copied, because most nodes already send the contract's form. A changed object is
 * copied only once.
 */
function members(
  object: JsonObject,
  shape: ObjectShape,
  isPending: boolean,
  onDropped?: OnDropped,
): JsonObject {
  let changed: Changeable | undefined
  for (const name in object) {
    const value = object[name]
    if (value === undefined) continue
    const listed = shape.members.get(name)
    if (listed === undefined) onDropped?.(shape.name, name)
    const kept = listed === undefined ? undefined : made(value, listed, isPending, onDropped)
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

/**
 * Normalises a string inside a result. Strings that are not hexadecimal stay unchanged, and short words are
 * not padded.
 */
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

/**
 * Removes leading zeros from a quantity. The check comes first, because most quantities are already minimal.
 */
function minimal(value: string): string {
  const isMinimal = value.startsWith('0x') && (value.length === 3 || value.charCodeAt(2) !== DIGIT_0)
  return isMinimal && value.length > 2 && value.toLowerCase() === value ? value : (quantity(value) ?? value)
}

/** Converts a hexadecimal string to lower case; other strings stay unchanged. */
function lowerCase(value: string): string {
  const lower = value.toLowerCase()
  return lower === value || !isHex(value) ? value : lower
}

/**
 * Finds required members that are missing in a result, or in the entries of a list. Such results are logged
 * and passed on unchanged.
 * @param result normalised
 * @returns undefined when no member is missing
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

/** Normalises a scalar; returns undefined for an invalid value. */
type NormaliseScalar = (value: JsonValue) => string | undefined

const canonical = /^0x(?:0|[1-9a-f][0-9a-f]*)$/

/** Decimal digits of at most 256 bits. The limit matters because the conversion takes quadratic time. */
const decimal = /^[0-9]{1,78}$/

/**
 * Normalises a quantity: lower case and without leading zeros. JSON numbers and decimal digits are accepted
 * (specification 2.1).
 */
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

/** Normalises a quantity within the safe integers, such as a block number. */
const safeQuantity: NormaliseScalar = (value) => {
  const number = quantity(value)
  return number !== undefined && Number.isSafeInteger(Number(number)) ? number : undefined
}

/** Normalises bytes to lower case. */
const data: NormaliseScalar = (value) =>
  isHex(value) && value.length % 2 === 0 ? value.toLowerCase() : undefined

/** Normalises 32 bytes, and restores leading zeros that nodes omit from storage values. */
const word: NormaliseScalar = (value) =>
  isHex(value) && value.length <= 66 ? `0x${value.slice(2).toLowerCase().padStart(64, '0')}` : undefined

/** Accepts a text that is not empty. */
const text: NormaliseScalar = (value) => (typeof value === 'string' && value !== '' ? value : undefined)

/** The function that normalises a scalar result, by form. */
const scalars: Readonly<Record<Form, NormaliseScalar>> = { quantity, safeQuantity, data, word, text }
