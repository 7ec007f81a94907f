import type { ComponentChildren } from 'preact'

interface TableProps {
  /** Names the table within the page, for its live rows. */
  readonly name: string
  /** What it holds, for those who do not see what stands around it. */
  readonly caption: string
  readonly columns: readonly string[]
  /** The first cell of each row is its head. */
  readonly rows: readonly (readonly ComponentChildren[])[]
}

/** Numbers in rows; wide ones are moved sideways in their own frame, also by keys. */
export function Table({ name, caption, columns, rows }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section class="scroll" tabIndex={0} aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" key={column}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody data-live={name}>
          {rows.map(([head, ...cells], row) => (
            <tr key={String(row)}>
              <th scope="row">{head}</th>
              {cells.map((cell, column) => (
                <td key={columns[column + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
