/** Returns the known name closest to a misspelt one, or undefined if none is close. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const most = Math.ceil(name.length / 3)
  let nearest: string | undefined
  let least = most + 1
  for (const candidate of known) {
    const steps = distance(name.toLowerCase(), candidate.toLowerCase())
    if (steps < least) {
      least = steps
      nearest = candidate
    }
  }
  return nearest
}

/** Returns the number of inserted, removed or changed letters between two words (Levenshtein distance). */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1]
    for (let at = 0; at < b.length; at++) {
      const changed = (previous[at] ?? 0) + (letter === b[at] ? 0 : 1)
      current.push(Math.min(changed, (previous[at + 1] ?? 0) + 1, (current[at] ?? 0) + 1))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}
