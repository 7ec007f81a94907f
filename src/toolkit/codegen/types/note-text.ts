import type { JsonValue } from '../../contract/index.js'
import { oneLine } from '../../text/index.js'

/** Returns the value of a keyword of a schema. */
export type Keyword = (name: string) => JsonValue | undefined

/** Describes the bounds of something. */
export function range(what: string, least: JsonValue | undefined, most: JsonValue | undefined): string {
  if (least === undefined && most === undefined) return ''
  if (least === undefined) return `${what}: at most ${most}.`
  if (most === undefined) return `${what}: at least ${least}.`
  return least === most ? `${what}: ${least}.` : `${what}: ${least} to ${most}.`
}

/** Formats text as a code span. The delimiter is longer than any run of backticks in the text. */
export function code(text: string): string {
  const line = oneLine(text)
  const runs = line.match(/`+/g) ?? []
  const fence = '`'.repeat(Math.max(0, ...runs.map((run) => run.length)) + 1)
  return fence.length > 1 ? `${fence} ${line} ${fence}` : `\`${line}\``
}
