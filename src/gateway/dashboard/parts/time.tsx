const MINUTES_END = 16

/** A moment, in UTC to the minute; the browser's own time where scripts run. */
export function Time({ at }: { readonly at: Date }) {
  const iso = at.toISOString()
  return (
    <time dateTime={iso} data-local>
      {`${iso.slice(0, MINUTES_END).replace('T', ' ')} UTC`}
    </time>
  )
}
