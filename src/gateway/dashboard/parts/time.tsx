import { minuteText } from './format.js'

interface TimeProps {
  readonly at: Date | null
  /** Text if there is no time. */
  readonly otherwise?: string
}

/** A time in UTC. Scripts convert it to the browser's time zone. */
export function Time({ at, otherwise }: TimeProps) {
  if (at === null) return <>{otherwise}</>
  return (
    <time dateTime={at.toISOString()} data-local>
      {minuteText(at)} UTC
    </time>
  )
}
