/** Says how much of a text a page still has room for. */
export interface PageBudget {
  /** The text, or its beginning with how much was left out. */
  readonly cut: (text: string) => string
  /** False when nothing more should be shown. */
  readonly hasRoom: () => boolean
}

/**
 * Bounds what a page shows of bodies: large answers are for the JSON report.
 * @param total characters of all texts together
 * @param longest characters of one
 * @param shortest characters of one when all room is used up
 */
export function createPageBudget(total: number, longest: number, shortest: number): PageBudget {
  let used = 0
  return {
    hasRoom: () => used < total,
    cut: (text) => {
      const limit = used < total ? longest : shortest
      const kept = text.slice(0, limit)
      used += kept.length
      const rest = text.length - kept.length
      return rest > 0 ? `${kept}… (${rest} characters more in the JSON report)` : kept
    },
  }
}
