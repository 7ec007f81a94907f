/**
 * A redacted copy of a foreign error with name, message and code. Other members may contain the URL or
 * headers.
 */
interface RedactedError extends Error {
  code?: string | number
}

/** Maximum number of nested causes that are kept. */
const deepestCause = 8

/**
 * Copies a thrown value without secrets.
 * @param thrown any value; reading its members may throw
 * @param redact replaces secrets
 */
export function redactedError(thrown: unknown, redact: (text: string) => string, depth = 1): RedactedError {
  let parts: Readonly<Record<string, unknown>>
  try {
    const isObject = typeof thrown === 'object' && thrown !== null
    const { name, message, code, cause } = isObject ? (thrown as typeof parts) : { message: String(thrown) }
    parts = { name, message, code, cause }
  } catch {
    parts = {}
  }
  const { name, message, code, cause } = parts
  const text = (value: unknown, otherwise: string) => (typeof value === 'string' ? redact(value) : otherwise)
  const beneath =
    cause === undefined || depth === deepestCause ? undefined : redactedError(cause, redact, depth + 1)
  const copy: RedactedError = new Error(text(message, ''), beneath && { cause: beneath })
  Object.defineProperty(copy, 'name', { value: text(name, 'Error'), configurable: true, writable: true })
  if (typeof code === 'number') copy.code = code
  else if (typeof code === 'string') copy.code = redact(code)
  copy.stack = `${copy.name}: ${copy.message}`
  return copy
}

/** Returns the innermost message, because `fetch failed` alone is not helpful. */
export function innermost({ cause, message, code, name }: RedactedError): string {
  return cause === undefined ? message || String(code ?? name) : innermost(cause as RedactedError)
}
