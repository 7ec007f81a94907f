/** Replaces secrets in texts, and tells whether one survived. */
export interface Redactor {
  /** The text with every secret replaced by `•••••`. */
  redact(text: string): string
  /** A secret is still in the text. */
  survives(text: string): boolean
}

const MASK = '•••••'
const SHORTEST_SECRET = 4

/** Makes what replaces secrets by their value, the longest first; texts of less than 4 characters are no secrets. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const needles = [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length)
  return {
    redact: (text) => needles.reduce((redacted, needle) => redacted.replaceAll(needle, MASK), text),
    survives: (text) => needles.some((needle) => text.includes(needle)),
  }
}
