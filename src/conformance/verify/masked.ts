/** Placeholder for a secret in a report. */
const MASK = '•••••'

/** True when two texts are equal apart from masked secrets. Either text may have the mask. */
export function isSameButMasked(one: string, other: string): boolean {
  return one === other || fits(one, other) || fits(other, one)
}

/** True when the masked text could come from the given text. */
function fits(masked: string, text: string): boolean {
  const [first = '', ...rest] = masked.split(MASK)
  const last = rest.pop()
  if (last === undefined || !text.startsWith(first) || !text.endsWith(last)) return false
  let place = first.length
  for (const part of rest) {
    const found = text.indexOf(part, place)
    if (found < 0) return false
    place = found + part.length
  }
  return place + last.length <= text.length
}
