import type { JsonValue } from './json.js'
import { type RawId, rawIds } from './raw-ids.js'
import { scanJson } from './scan-json.js'

/** A body that was read: one request or a batch, not yet checked for being one. */
export interface ParsedMessage {
  readonly value: JsonValue
  /** The ids as they are written, where parsing may have changed one; else undefined. */
  readonly rawIds: readonly RawId[] | undefined
}

/** Why a body could not be read. */
export type MessageProblem = 'parseError' | 'tooDeep'

/**
 * Parses the text of a body, keeping every id digit for digit; says `tooDeep` before anything is parsed, and
 * `parseError` for text that is no JSON, a byte-order mark in front included (JSON-RPC 2.0, section 5.1).
 *
 * @param nestingDepth how many arrays and objects may be open at once
 */
export function parseMessage(text: string, nestingDepth: number): ParsedMessage | MessageProblem {
  const scan = scanJson(text, nestingDepth)
  if (scan === 'tooDeep') return 'tooDeep'
  let value: JsonValue
  try {
    value = JSON.parse(text)
  } catch {
    return 'parseError'
  }
  return { value, rawIds: losesAnId(value, scan === 'fractions') ? rawIds(text) : undefined }
}

function losesAnId(value: JsonValue, fractions: boolean): boolean {
  if (!Array.isArray(value)) return isLossy(value, fractions)
  return value.some((item) => isLossy(item, fractions))
}

/** A number that `String` does not write as the caller did: not a safe integer, `-0`, `1.0`, `1e2`. */
function isLossy(item: JsonValue, fractions: boolean): boolean {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
  const id = (item as { readonly id?: unknown }).id
  return typeof id === 'number' && (fractions || !Number.isSafeInteger(id) || Object.is(id, -0))
}
