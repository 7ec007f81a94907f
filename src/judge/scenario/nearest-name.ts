import { distance } from 'fastest-levenshtein'

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
