/** Returns a pattern that matches exactly a text, with or without the flag u. */
export function literalPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/**
 * Returns the pattern of the messages of a template. Placeholders such as `{limit}` match any text.
 * @param template the `message` of a failure (`x-failures`)
 */
export function messagePattern(template: string): RegExp {
  return new RegExp(
    `^${template
      .split(/\{\w+\}/)
      .map(literalPattern)
      .join('.+')}$`,
    'u',
  )
}
