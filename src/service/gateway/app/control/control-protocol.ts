import type { JsonValue } from '@concordat/rpc'

/**
 * The control socket speaks lines of JSON: one request a line, one answer a line, in order. A change that old
 * and new programs cannot both read gets a new version.
 */
export const CONTROL_VERSION = 1
/** Maximum length of a request line in bytes. Answers with lists may be longer. */
export const REQUEST_BYTES = 65_536

/** One request on the control socket. */
export interface ControlRequest {
  readonly version: number
  readonly command: string
  readonly input: JsonValue
}

/** The answer to a request. `code` is that of an OperatorError, or `control_error`. */
export type ControlAnswer =
  | { readonly version: number; readonly output: JsonValue }
  | { readonly version: number; readonly error: { readonly code: string; readonly message: string } }

/** Splits a stream of text into lines. */
export function createLineReader(onLine: (line: string) => void): {
  push(chunk: string): void
  /** Characters of the incomplete last line. */
  pending(): number
} {
  let rest = ''
  return {
    push(chunk) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) onLine(line)
    },
    pending: () => rest.length,
  }
}
