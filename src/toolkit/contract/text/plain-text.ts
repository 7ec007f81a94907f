/** Removes control characters and normalizes line endings to `\n`. */
export function plainText(text: string): string {
  return text.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n').replaceAll(/[^\P{Cc}\n\t]|\ufeff/gu, '')
}

/** Joins text to one line. */
export function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, ' ').trim()
}
