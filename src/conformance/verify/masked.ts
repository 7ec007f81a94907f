/** What stands in a report in the place of a secret. */
const MASK = '•••••'

/** True when two texts are the same but for secrets, which either may have in the place of which the other has a mask. */
export function isSameButMasked(one: string, other: string): boolean {
  return one === other || fits(one, other) || fits(other, one)
}

/** Whether a text could be what was masked. */
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
