const SECONDS_END = 19

/** The time at which numbers were read, in UTC. */
export function AsOf({ at }: { readonly at: Date }) {
  const iso = at.toISOString()
  return (
    <p class="muted as-of" data-live="at">
      As of <time dateTime={iso}>{`${iso.slice(0, SECONDS_END).replace('T', ' ')} UTC`}</time>
      <span role="status" data-stale />
    </p>
  )
}
