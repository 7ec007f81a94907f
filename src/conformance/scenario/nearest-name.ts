/** The known name that a misspelt one is most like, undefined where none is near. */
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

/** How many letters are put in, left out or changed between two words (Levenshtein). */
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
