import type { ComponentChildren } from 'preact'

interface StackedTableProps {
  /** Name within the page, for live updates; none by default. */
  readonly name?: string
  readonly caption: string
  readonly columns: readonly string[]
  /** Number of leading text columns. They are left-aligned; the others are numbers. */
  readonly words: number
  /** True for a log, whose rows of five cells stay short in narrow windows. */
  readonly isDense?: boolean
  /** Rows; the first cell of each is its header. */
  readonly rows: readonly (readonly ComponentChildren[])[]
}

/** Roles that browsers drop where the style sheet gives the elements another `display`. */
const roles = {
  table: { role: 'table' },
  rowgroup: { role: 'rowgroup' },
  row: { role: 'row' },
  columnheader: { role: 'columnheader' },
  rowheader: { role: 'rowheader' },
  cell: { role: 'cell' },
} as const

/** A table whose rows become cards in narrow windows. */
export function StackedTable({ name, caption, columns, words, isDense = false, rows }: StackedTableProps) {
  return (
    <table class={isDense ? 'stacked dense' : 'stacked'} {...roles.table}>
      <caption class="unseen">{caption}</caption>
      <thead {...roles.rowgroup}>
        <tr {...roles.row}>
          {columns.map((column, place) => (
            <th {...roles.columnheader} scope="col" class={place < words ? 'text' : undefined} key={column}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody data-live={name} {...roles.rowgroup}>
        {rows.map(([head, ...cells], row) => (
          <tr {...roles.row} key={String(row)}>
            <th {...roles.rowheader} scope="row" class="text">
              {head}
            </th>
            {cells.map((cell, column) => (
              <td
                {...roles.cell}
                class={column + 1 < words ? 'text' : undefined}
                data-label={columns[column + 1]}
                key={columns[column + 1]}
              >
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
