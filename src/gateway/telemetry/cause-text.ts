import { withoutParameters } from './log.js'

/** Maximum length of a cause in the log, in characters. */
const mostCharacters = 500

/**
 * Formats the cause of an error as one line for the log. It contains the names and messages of nested errors,
 * and a node's error without its data.
 * @returns undefined when there is no cause
 */
export function causeText(cause: unknown): string | undefined {
  if (cause === undefined || cause === null) return undefined
  const safe = withoutParameters(cause)
  if (safe instanceof Error) {
    const inner = causeText(safe.cause)
    const own = `${safe.name}: ${safe.message}`
    return short(inner === undefined ? own : `${own} (${inner})`)
  }
  return short(typeof safe === 'string' ? safe : JSON.stringify(safe, withoutData))
}

const short = (text: string) => text.slice(0, mostCharacters)

/** The data of a node's error can be large. */
const withoutData = (name: string, value: unknown) =>
  name === 'data' ? undefined : typeof value === 'string' ? short(value) : value
