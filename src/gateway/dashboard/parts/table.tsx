import type { ComponentChildren } from 'preact'

interface TableProps {
  /** Names the table within the page, for its live rows. */
  readonly name: string
  /** What it holds, for those who do not see what stands around it. */
  readonly caption: string
  readonly columns: readonly string[]
  /** How many columns, from the first on, are words: they begin at the left, and numbers end at the right. */
  readonly words?: number
  /** The first cell of each row is its head. */
  readonly rows: readonly (readonly ComponentChildren[])[]
}

/** Numbers in rows; wide ones are moved sideways in their own frame, also by keys. */
export function Table({ name, caption, columns, words = 1, rows }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
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
