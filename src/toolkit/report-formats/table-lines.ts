/** How {@link tableLines} aligns cells. */
export interface TableOptions {
  /** Columns whose cells end at the same place, such as numbers; the others begin at the same place. */
  readonly right?: readonly number[]
  /** Spaces between columns, 2 by default. */
  readonly gap?: number
  /** Spaces before each line, 0 by default. */
  readonly indent?: number
  /** Cells that are longer push the rest of their line to the right. No bound by default. */
  readonly widest?: number
}

/** Aligns rows of cells for a terminal. Lines have no spaces at their end; an empty row is an empty line. */
export function tableLines(
  rows: readonly (readonly string[])[],
  { right = [], gap = 2, indent = 0, widest = Number.POSITIVE_INFINITY }: TableOptions = {},
): readonly string[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, { length }] of row.entries())
      if (length <= widest) widths[column] = Math.max(widths[column] ?? 0, length)
  return rows.map((row) => {
    const cells = row.map((cell, column) =>
      right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    )
    return `${' '.repeat(indent)}${cells.join(' '.repeat(gap))}`.trimEnd()
  })
}
