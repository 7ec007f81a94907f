import type { ComponentChildren } from 'preact'

interface TableProps {
  /** Name within the page, for live updates. */
  readonly name: string
  readonly caption: string
  readonly columns: readonly string[]
  /** Number of leading text columns. They are left-aligned; the others are numbers. */
  readonly words?: number
  /** Rows; the first cell of each is its header. */
  readonly rows: readonly (readonly ComponentChildren[])[]
}

/** A table. Wide tables scroll horizontally, also by keyboard. */
export function Table({ name, caption, columns, words = 1, rows }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content needs keyboard access
    <section class="scroll" tabIndex={0} aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, place) => (
              <th scope="col" class={place < words ? 'text' : undefined} key={column}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody data-live={name}>
          {rows.map(([head, ...cells], row) => (
            <tr key={String(row)}>
              <th scope="row" class="text">
                {head}
              </th>
              {cells.map((cell, column) => (
                <td class={column + 1 < words ? 'text' : undefined} key={columns[column + 1]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
