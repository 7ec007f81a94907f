/** Limits how much text a page shows. */
export interface PageBudget {
  /** Returns the text, or its beginning with the number of omitted characters. */
  readonly cut: (text: string) => string
  /** False when the budget is used up. */
  readonly hasRoom: () => boolean
}

/**
 * Creates a page budget. Large bodies are available in the JSON report instead.
 * @param total maximum characters of all texts together
 * @param longest maximum characters of one text
 * @param shortest maximum characters of one text after the total is used up
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
