import { numberText } from './format.js'
import { outcomeColours, outcomes, type Tallied } from './outcomes.js'

interface SparklineProps {
  /** Steps of a chart, the current one last. */
  readonly steps: readonly Tallied[]
  /** Period and step in words, for screen readers. */
  readonly label: string
}

const width = 96
const height = 24
const gap = 1
/** Height of the smallest bar, so that a single call is visible beside many. */
const smallest = 2

/** Small bars of calls, stacked by outcome in the colours of charts. */
export function Sparkline({ steps, label }: SparklineProps) {
  const totals = steps.map((step) => outcomes.reduce((sum, outcome) => sum + step[outcome], 0))
  const highest = Math.max(...totals, 1)
  const total = totals.reduce((sum, calls) => sum + calls, 0)
  const wide = width / steps.length
  const high = (calls: number) => (calls === 0 ? 0 : Math.max((calls / highest) * height, smallest))
  /** The bars of a step, each with the height of its outcome and of those that are drawn over it. */
  const barsOf = (step: Tallied, at: number) =>
    outcomes.map((outcome, from) => {
      const calls = outcomes.slice(from).reduce((sum, each) => sum + step[each], 0)
      return (
        calls > 0 && (
          <rect
            class={`colour-${outcomeColours[outcome]}`}
            x={at * wide}
            y={height - high(calls)}
            width={wide - gap}
            height={high(calls)}
            key={`${outcome}${at}`}
          />
        )
      )
    })
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={`${label}: ${numberText(total)} calls, at most ${numberText(total === 0 ? 0 : highest)} in a step`}
    >
      <path d={`M0 ${height - 0.5}H${width}`} />
      {steps.flatMap(barsOf)}
    </svg>
  )
}
