import type { JsonValue } from '@concordat/rpc'
import { JSONPathEnvironment, type JSONPathQuery } from 'json-p3'

/** Deeper than the nesting limit of responses, so that `$..name` reaches everything. */
const environment = new JSONPathEnvironment({ strict: true, maxRecursionDepth: 1024 })
const compiled = new Map<string, JSONPathQuery>()

/**
 * Returns the first value that a JSONPath finds (RFC 9535), or undefined. Nothing is evaluated as code.
 * @throws JSONPathError for an invalid path; the loader has rejected such scenarios before
 */
export function capture(path: string, value: JsonValue): JsonValue | undefined {
  const node = compilePath(path).match(value as Parameters<JSONPathQuery['match']>[0])
  return node === undefined ? undefined : (node.value as JsonValue)
}

/** Returns the first values that a JSONPath finds, at most a number of them. */
export function captureAll(path: string, value: JsonValue, most: number): readonly JsonValue[] {
  const found: JsonValue[] = []
  for (const node of compilePath(path).lazyQuery(value as Parameters<JSONPathQuery['query']>[0])) {
    found.push(node.value as JsonValue)
    if (found.length === most) break
  }
  return found
}

/** Returns why a text is not a JSONPath, or undefined if it is one. */
export function jsonPathProblem(path: string): string | undefined {
  try {
    compilePath(path)
    return undefined
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return `"${path}" is not a JSONPath (RFC 9535): ${reason}; write for example "$.result.hash"`
  }
}

function compilePath(path: string): JSONPathQuery {
  const known = compiled.get(path)
  if (known !== undefined) return known
  const query = environment.compile(path)
  compiled.set(path, query)
  return query
}
