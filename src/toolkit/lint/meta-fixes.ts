import {
  type ContractProblem,
  canonicalText,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  member,
  pointerTokens,
  valueAt,
} from '../contract/index.js'
import type { Edit, Fix } from './apply-fixes.js'

/**
 * Returns the edits that certainly correct a violation of the meta-schema. They remove repeated items of a list that
 * must not repeat any, and rewrite bounds of JSON Schema draft-04, whose `exclusiveMinimum` is true or false.
 */
export function fixOf({ pointer, message }: ContractProblem, root: JsonObject): { readonly fix?: Fix } {
  const tokens = pointerTokens(pointer) ?? []
  const value = valueAt(root, tokens)
  const name = tokens.at(-1) ?? ''
  if (isArray(value) && message.includes('duplicate')) return { fix: withoutRepeated(value, pointer) }
  const [, end] = /^exclusive(Minimum|Maximum)$/.exec(name) ?? []
  if (end === undefined || typeof value !== 'boolean') return {}
  const place = joinPointer('#', ...tokens.slice(0, -1))
  return exclusiveBound(valueAt(root, tokens.slice(0, -1)), place, end, value)
}

function withoutRepeated(list: readonly JsonValue[], pointer: string): Fix {
  const texts = list.map(canonicalText)
  return texts.flatMap((text, at): readonly Edit[] =>
    texts.indexOf(text) < at ? [{ remove: joinPointer(pointer, at) }] : [],
  )
}

function exclusiveBound(
  schema: JsonValue | undefined,
  place: string,
  end: string,
  isExclusive: boolean,
): { readonly fix?: Fix } {
  const [inclusive, exclusive] = [end.toLowerCase(), `exclusive${end}`]
  const bound = isObject(schema) ? member(schema, inclusive) : undefined
  if (!isExclusive) return { fix: [{ remove: joinPointer(place, exclusive) }] }
  if (typeof bound !== 'number') return {}
  return {
    fix: [{ set: joinPointer(place, exclusive), value: bound }, { remove: joinPointer(place, inclusive) }],
  }
}
