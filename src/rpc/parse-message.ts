import type { JsonValue } from './json.js'
import { isLongText, type RawId, rawIds } from './raw-ids.js'
import { scanJson } from './scan-json.js'

/** A body that was read: one request or a batch, not yet checked for being one. */
export interface ParsedMessage {
  readonly value: JsonValue
  /** The ids as they are written, where parsing may have changed one; else undefined. */
  readonly rawIds: readonly RawId[] | undefined
}

/** Why a body could not be read. */
export type MessageProblem = 'parseError' | 'tooDeep' | 'tooManyValues'

/**
 * Parses the text of a body, keeping every id digit for digit (JSON-RPC 2.0, section 5.1). Its bounds are checked
 * before it is parsed: `tooDeep`, `tooManyValues`. Text that is no JSON, such as one that begins with a byte-order mark,
 * is a `parseError`.
 *
 * @param nestingDepth how many arrays and objects may be open at once
 * @param valuesMost how many values and members it may hold; any number when not given
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

/** A number that `String` does not write as the caller did: not a safe integer, `-0`, `1.0`, `1e2`; or a long text. */
function isLossy(item: JsonValue, fractions: boolean): boolean {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
  const id = (item as { readonly id?: unknown }).id
  if (typeof id === 'string') return isLongText(id)
  return typeof id === 'number' && (fractions || !Number.isSafeInteger(id) || Object.is(id, -0))
}
