import { minuteText } from './measures.js'

interface TimeProps {
  readonly at: Date | null
  /** Said where there is no such moment. */
  readonly otherwise?: string
}

/** A moment, in UTC to the minute; the browser's own time where scripts run. */
export function Time({ at, otherwise }: TimeProps) {
  if (at === null) return <>{otherwise}</>
  return (
    <time dateTime={at.toISOString()} data-local>
      {minuteText(at)} UTC
    </time>
  )
}
