/** Two texts, each as what both begin with, what differs, and what both end with. */
export interface ShortDiff {
  readonly before: string
  readonly expected: string
  readonly got: string
  readonly after: string
}

/** Shares of less than this many characters say nothing about two texts. */
const SHORTEST_SHARE = 2

/** Where two short texts differ; as a whole where they have too little in common. */
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
