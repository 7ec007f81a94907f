import type { JsonValue } from './json.js'
import { isLongText, type RawId, rawIds } from './raw-ids.js'
import { scanJson } from './scan-json.js'

/** A parsed body: one request or a batch, not yet validated. */
export interface ParsedMessage {
  readonly value: JsonValue
  /** The ids as written, if parsing may have changed one. Otherwise undefined. */
  readonly rawIds: readonly RawId[] | undefined
}

/** Why a body could not be parsed. */
export type MessageProblem = 'parseError' | 'tooDeep' | 'tooManyValues'

/**
 * Parses the text of a body and keeps every id digit for digit (JSON-RPC 2.0, section 5.1). Limits are
 * checked before parsing.
 * @param text the body; a byte-order mark makes it invalid
 * @param nestingDepth maximum number of open arrays and objects
 * @param valuesMost maximum number of values and members; unlimited by default
 * @returns the message, or `parseError`, `tooDeep` or `tooManyValues`
 */
export function parseMessage(
  text: string,
  nestingDepth: number,
  valuesMost = Number.POSITIVE_INFINITY,
): ParsedMessage | MessageProblem {
  const scan = scanJson(text, nestingDepth, valuesMost)
  if (scan === 'tooDeep' || scan === 'tooManyValues') return scan
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

/**
 * Returns true for an id that must be kept as text: unsafe integers, `-0`, `1.0`, `1e2`, and long strings.
 */
function isLossy(item: JsonValue, fractions: boolean): boolean {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
  const id = (item as { readonly id?: unknown }).id
  if (typeof id === 'string') return isLongText(id)
  return typeof id === 'number' && (fractions || !Number.isSafeInteger(id) || Object.is(id, -0))
}
