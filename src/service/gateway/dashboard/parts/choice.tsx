interface ChoiceProps<T extends string | number> {
  /** Label for screen readers. */
  readonly label: string
  readonly options: readonly T[]
  readonly chosen: T
  readonly hrefOf: (option: T) => string
  readonly titleOf: (option: T) => string
}

/** Links to the variants of a page. */
export function Choice<T extends string | number>({
  label,
  options,
  chosen,
  hrefOf,
  titleOf,
}: ChoiceProps<T>) {
  return (
    <nav class="choice" aria-label={label}>
      <ul>
        {options.map((option) => (
          <li key={option}>
            <a href={hrefOf(option)} aria-current={option === chosen ? 'true' : undefined}>
              {titleOf(option)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
