/**
 * True when a text is what a pattern stands for: `*` is any run of characters, `/` included, and everything else is
 * itself.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const parts = pattern.split('*')
  const [first = ''] = parts
  if (parts.length === 1) return text === pattern
  const last = parts.at(-1) ?? ''
  if (!text.startsWith(first)) return false
  // Each part at its earliest place: a regular expression of many stars could take very long.
  let from = first.length
  for (const part of parts.slice(1, -1)) {
    const at = text.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return text.length - last.length >= from && text.endsWith(last)
}
