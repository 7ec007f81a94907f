import type { ComponentChildren } from 'preact'

interface FactProps {
  readonly name: string
  /** Number of the colour that charts give to the value; none by default. */
  readonly colour?: 1 | 2 | 3 | 4
  readonly children: ComponentChildren
}

/** A name and value of a definition list. */
export function Fact({ name, colour, children }: FactProps) {
  return (
    <div>
      <dt class={colour && `swatch colour-${colour}`}>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
