/** The line-by-line difference of two texts. */
export interface LineDiff {
  readonly added: number
  readonly removed: number
  /** Unified diff: `@@ -1,7 +1,8 @@`, then lines that begin with a space, `-` or `+`. */
  readonly lines: readonly string[]
}

/** Unchanged lines that are shown before and after a change. */
const contextLines = 3
/** Above this number of changes, everything between the common start and end is shown as replaced. */
const maxChanges = 1000

type Edit = readonly [sign: ' ' | '-' | '+', line: string]

/**
 * Computes the shortest edit script (Myers, 1986) between the common start and end of two texts.
 * @param before old text
 * @param after new text
 */
export function lineDiff(before: string, after: string): LineDiff {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const least = Math.min(old.length, now.length)
  let start = 0
  while (start < least && old[start] === now[start]) start++
  let end = 0
  while (end < least - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const edits: readonly Edit[] = [
    ...old.slice(0, start).map((line) => [' ', line] as const),
    ...editScript(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...old.slice(old.length - end).map((line) => [' ', line] as const),
  ]
  const count = (sign: Edit[0]) => edits.filter(([other]) => other === sign).length
  return { added: count('+'), removed: count('-'), lines: hunks(edits) }
}

function editScript(old: readonly string[], now: readonly string[]): readonly Edit[] {
  const furthest = furthestByChanges(old, now)
  if (!furthest) {
    return [...old.map((line) => ['-', line] as const), ...now.map((line) => ['+', line] as const)]
  }
  const edits: Edit[] = []
  let [x, y] = [old.length, now.length]
  for (let changes = furthest.length - 1; x > 0 || y > 0; changes--) {
    const at = (diagonal: number) => furthest[changes - 1]?.get(diagonal) ?? -1
    const diagonal = x - y
    const isAdded = diagonal === -changes || (diagonal !== changes && at(diagonal - 1) < at(diagonal + 1))
    const fromX = changes === 0 ? 0 : isAdded ? at(diagonal + 1) : at(diagonal - 1) + 1
    for (; x > fromX && y > 0; x--, y--) edits.push([' ', old[x - 1] ?? ''])
    if (changes === 0) break
    edits.push(isAdded ? ['+', now[y - 1] ?? ''] : ['-', old[x - 1] ?? ''])
    if (isAdded) y--
    else x--
  }
  return edits.reverse()
}

/** Returns the furthest x on each diagonal for each number of changes, or undefined above the limit. */
function furthestByChanges(
  old: readonly string[],
  now: readonly string[],
): readonly ReadonlyMap<number, number>[] | undefined {
  const steps: Map<number, number>[] = []
  for (let changes = 0; changes <= maxChanges; changes++) {
    const last = steps.at(-1)
    const reached = new Map<number, number>()
    steps.push(reached)
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      const [left, right] = [last?.get(diagonal - 1) ?? -1, last?.get(diagonal + 1) ?? -1]
      let x =
        changes === 0 ? 0 : diagonal === -changes || (diagonal !== changes && left < right) ? right : left + 1
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++
      reached.set(diagonal, x)
      if (x >= old.length && x - diagonal >= now.length) return steps
    }
  }
  return undefined
}

function hunks(edits: readonly Edit[]): readonly string[] {
  const changed = edits.flatMap(([sign], at) => (sign === ' ' ? [] : [at]))
  const lines: string[] = []
  let [old, now, at] = [1, 1, 0]
  const pass = (until: number) => {
    const passed = edits.slice(at, until)
    old += passed.filter(([sign]) => sign !== '+').length
    now += passed.filter(([sign]) => sign !== '-').length
    at = until
    return passed
  }
  for (let next = 0; next < changed.length; ) {
    pass(Math.max(at, (changed[next] ?? 0) - contextLines))
    while ((changed[next + 1] ?? Number.POSITIVE_INFINITY) - (changed[next] ?? 0) <= 2 * contextLines) next++
    const [firstOld, firstNow] = [old, now]
    const shown = pass(Math.min(edits.length, (changed[next] ?? 0) + contextLines + 1))
    lines.push(`@@ -${firstOld},${old - firstOld} +${firstNow},${now - firstNow} @@`)
    lines.push(...shown.map(([sign, line]) => `${sign}${line}`))
    next++
  }
  return lines
}
