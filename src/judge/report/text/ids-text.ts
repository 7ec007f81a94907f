/** Maximum number of ids in a list of a file report. */
const inReports = 10

/**
 * Lists ids in one line. Further ones become an ellipsis.
 * @param most maximum number of ids
 */
export function idsText(ids: readonly string[], most: number = inReports): string {
  return `${ids.slice(0, most).join(', ')}${ids.length > most ? ', …' : ''}`
}

/** Returns the ids of cases. */
export function idsOf(cases: readonly { readonly id: string }[]): readonly string[] {
  return cases.map(({ id }) => id)
}
