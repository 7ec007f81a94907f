import type { ComponentChildren } from 'preact'

/** A line, or one part of stacked bars. */
export interface ChartSeries {
  readonly title: string
  /** One of the chart's colours: 1 to 4. */
  readonly colour: 1 | 2 | 3 | 4
  /** One for each moment; null where there is none. */
  readonly values: readonly (number | null)[]
}

interface ChartProps {
  /** Names the chart within the page. */
  readonly name: string
  /** What it shows, for those who cannot see it. */
  readonly label: string
  readonly kind: 'bars' | 'lines'
  readonly unit: string
  /** Where each step starts. */
  readonly moments: readonly Date[]
  readonly stepSeconds: number
  readonly series: readonly ChartSeries[]
  /** A table of the same numbers. */
  readonly children: ComponentChildren
}

const MILLISECONDS_PER_SECOND = 1_000

/** A chart, and a table of its numbers that is open where no script draws the chart. Its place is kept, so that nothing moves. */
export function Chart({ name, label, kind, unit, moments, stepSeconds, series, children }: ChartProps) {
  const drawn = {
    kind,
    unit,
    stepSeconds,
    moments: moments.map((moment) => moment.getTime() / MILLISECONDS_PER_SECOND),
    series,
  }
  return (
    <figure class="chart">
      <ul class="legend">
        {series.map(({ title, colour }) => (
          <li class={`colour-${colour}`} key={title}>
            {title}
          </li>
        ))}
      </ul>
      <div
        class="drawing"
        role="img"
        aria-label={label}
        data-live={name}
        data-chart={JSON.stringify(drawn)}
      />
      <p class="readout muted" data-readout aria-hidden="true" />
      <details open>
        <summary>Table</summary>
        {children}
      </details>
    </figure>
  )
}
