import {
  arrayMember,
  isArray,
  isObject,
  type JsonValue,
  joinPointer,
  type Method,
  pointerTokens,
} from '../../../toolkit/contract/index.js'
import { valuesAt } from './values-at.js'

/** Returns a result without the parts that may differ between two answers (`x-volatile`). */
export function stableResult({ extensions }: Method, result: JsonValue): JsonValue {
  const volatile = arrayMember(extensions, 'x-volatile').flatMap((pointer) =>
    typeof pointer === 'string' ? valuesAt(result, pointerTokens(`#${pointer}`) ?? []) : [],
  )
  if (volatile.length === 0) return result
  const places = new Set(volatile.map(({ pointer }) => pointer))
  return without(result, '', places)
}

function without(value: JsonValue, pointer: string, places: ReadonlySet<string>): JsonValue {
  if (places.has(pointer)) return null
  if (isArray(value)) return value.map((item, at) => without(item, joinPointer(pointer, at), places))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) =>
      item === undefined ? [] : [[name, without(item, joinPointer(pointer, name), places)]],
    ),
  )
}
