const SECONDS_END = 19

/** When numbers were read, in UTC to the second: they are the database's, and this is their age. */
export function AsOf({ at }: { readonly at: Date }) {
  const iso = at.toISOString()
  return (
    <p class="muted as-of" data-live="at">
      As of <time dateTime={iso}>{`${iso.slice(0, SECONDS_END).replace('T', ' ')} UTC`}</time>
      <span role="status" data-stale />
    </p>
  )
}
