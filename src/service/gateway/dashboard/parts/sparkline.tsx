import { numberText } from './format.js'

interface SparklineProps {
  /** Steps of a chart, the current one last. */
  readonly steps: readonly { readonly calls: number; readonly failed: number }[]
  /** Period and step in words, for screen readers. */
  readonly label: string
}

const width = 96
const height = 24
const gap = 1
/** Height of the smallest bar, so that a single call is visible beside many. */
const smallest = 2

/** Small bars of calls, with their failed share in the colour of errors. */
export function Sparkline({ steps, label }: SparklineProps) {
  const highest = Math.max(...steps.map(({ calls }) => calls), 1)
  const total = steps.reduce((sum, { calls }) => sum + calls, 0)
  const wide = width / steps.length
  const high = (calls: number) => (calls === 0 ? 0 : Math.max((calls / highest) * height, smallest))
  const bar = (at: number, calls: number, name: string) => (
    <rect
      class={name}
      x={at * wide}
      y={height - high(calls)}
      width={wide - gap}
      height={high(calls)}
      key={`${name}${at}`}
    />
  )
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
      {steps.flatMap(({ calls, failed }, at) => [
        ...(calls > 0 ? [bar(at, calls, 'calls')] : []),
        ...(failed > 0 ? [bar(at, failed, 'failed')] : []),
      ])}
    </svg>
  )
}
