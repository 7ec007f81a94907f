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
  const redacted = (value: unknown) => (typeof value === 'string' ? redact(value) : undefined)
  const { name, message, code, cause } = membersOf(thrown)
  const beneath =
    cause === undefined || depth === deepestCause ? undefined : redactedError(cause, redact, depth + 1)
  const copy: RedactedError = Object.assign(new Error(redacted(message), beneath && { cause: beneath }), {
    name: redacted(name) ?? 'Error',
  })
  const shownCode = typeof code === 'number' ? code : redacted(code)
  if (shownCode !== undefined) copy.code = shownCode
  copy.stack = `${copy.name}: ${copy.message}`
  return copy
}

/** Reads each member once, because getters may return other values later. */
function membersOf(thrown: unknown): Readonly<Record<string, unknown>> {
  try {
    const { name, message, code, cause } = typeof thrown === 'string' ? { message: thrown } : Object(thrown)
    return { name, message, code, cause }
  } catch {
    return {}
  }
}

/** Returns the innermost message, because `fetch failed` alone is not helpful. */
export function innermost({ cause, message, code, name }: RedactedError): string {
  return cause === undefined ? message || String(code ?? name) : innermost(cause as RedactedError)
}
