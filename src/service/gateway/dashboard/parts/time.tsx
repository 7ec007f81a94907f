import { minuteText } from './format.js'

interface TimeProps {
  readonly at: Date | null
  /** Text if there is no time. */
  readonly otherwise?: string
}

/** A time in UTC, as everywhere: limits count days in UTC. */
export function Time({ at, otherwise }: TimeProps) {
  if (at === null) return <>{otherwise}</>
  return <time dateTime={at.toISOString()}>{minuteText(at)}</time>
}
