/** Two texts, split into common beginning, differing middle and common end. */
export interface ShortDiff {
  readonly before: string
  readonly expected: string
  readonly got: string
  readonly after: string
}

/** Fewer common characters than this are not worth showing. */
const SHORTEST_SHARE = 2

/** Finds the differing middle of two short texts. Texts with little in common are returned whole. */
export function shortDiff(expected: string, got: string): ShortDiff {
  const one = [...expected]
  const other = [...got]
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start++
  let end = 0
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++
  if (start + end < Math.max(SHORTEST_SHARE, shorter / 3)) return { before: '', expected, got, after: '' }
  const middle = (all: readonly string[]) => all.slice(start, all.length - end).join('')
  return {
    before: one.slice(0, start).join(''),
    expected: middle(one),
    got: middle(other),
    after: one.slice(one.length - end).join(''),
  }
}
