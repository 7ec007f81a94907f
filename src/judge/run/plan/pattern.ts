/**
 * True when a text matches a pattern. `*` matches any characters, including `/`; all others match literally.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const parts = pattern.split('*')
  const [first = ''] = parts
  if (parts.length === 1) return text === pattern
  const last = parts.at(-1) ?? ''
  if (!text.startsWith(first)) return false
  // Greedy matching stays linear. A regular expression with many stars could backtrack for very long.
  let from = first.length
  for (const part of parts.slice(1, -1)) {
    const at = text.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return text.length - last.length >= from && text.endsWith(last)
}
