import { JSONPathEnvironment, type JSONPathQuery } from 'json-p3'
import type { JsonValue } from '../../rpc/index.js'

/** Deeper than answers may nest, so that `$..name` finds what is there in any of them. */
const environment = new JSONPathEnvironment({ strict: true, maxRecursionDepth: 1024 })
const compiled = new Map<string, JSONPathQuery>()

/**
 * The first value that a JSONPath finds (RFC 9535), undefined where it finds none. Nothing is evaluated as code.
 * @throws JSONPathError where the path is none; the loader has refused such a scenario before
 */
export function capture(path: string, value: JsonValue): JsonValue | undefined {
  const node = compilePath(path).match(value as Parameters<JSONPathQuery['match']>[0])
  return node === undefined ? undefined : (node.value as JsonValue)
}

/** Why a text is no JSONPath, in words; undefined where it is one. */
export function jsonPathProblem(path: string): string | undefined {
  try {
    compilePath(path)
    return undefined
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return `"${path}" is no JSONPath (RFC 9535): ${reason}; write for example "$.result.hash"`
  }
}

function compilePath(path: string): JSONPathQuery {
  const known = compiled.get(path)
  if (known !== undefined) return known
  const query = environment.compile(path)
  compiled.set(path, query)
  return query
}
