/**
 * Returns the pattern of the messages of a template. Placeholders such as `{limit}` match any text.
 * @param template the `message` of a failure (`x-failures`)
 */
export function messagePattern(template: string): RegExp {
  const parts = template.split(/\{\w+\}/).map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  return new RegExp(`^${parts.join('.+')}$`, 'u')
}
