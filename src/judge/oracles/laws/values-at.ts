import {
  isArray,
  isObject,
  type JsonValue,
  joinPointer,
  member,
  type Tokens,
} from '../../../toolkit/contract/index.js'

/** A value in a result, with its JSON pointer. */
export interface Placed {
  readonly pointer: string
  readonly value: JsonValue
}

/** Returns the values at a path, in which `*` stands for every item of a list or every member of an object. */
export function valuesAt(value: JsonValue, tokens: Tokens): readonly Placed[] {
  let found: readonly Placed[] = [{ pointer: '', value }]
  for (const token of tokens) found = found.flatMap((placed) => inside(placed, token))
  return found
}

function inside({ pointer, value }: Placed, token: string): readonly Placed[] {
  if (token === '*' && isArray(value))
    return value.map((item, at) => ({ pointer: joinPointer(pointer, at), value: item }))
  if (token === '*' && isObject(value))
    return Object.entries(value).flatMap(([name, item]) =>
      item === undefined ? [] : [{ pointer: joinPointer(pointer, name), value: item }],
    )
  const found = isArray(value) ? value[Number(token)] : isObject(value) ? member(value, token) : undefined
  return found === undefined ? [] : [{ pointer: joinPointer(pointer, token), value: found }]
}

/** Returns the first value at a path; undefined if there is none. */
export const valueIn = (value: JsonValue, tokens: Tokens): JsonValue | undefined =>
  valuesAt(value, tokens)[0]?.value
