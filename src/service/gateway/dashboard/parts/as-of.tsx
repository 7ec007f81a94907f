import { secondText } from './format.js'

/** The time at which numbers were read, in UTC. */
export function AsOf({ at }: { readonly at: Date }) {
  return (
    <p class="muted as-of" data-live="at">
      As of <time dateTime={at.toISOString()}>{secondText(at)}</time>
      <span role="status" data-stale />
    </p>
  )
}
