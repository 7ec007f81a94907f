import type { ComponentChildren } from 'preact'

/** A line, or one segment of stacked bars. */
export interface ChartSeries {
  readonly title: string
  /** Number of the colour in the chart's palette. */
  readonly colour: 1 | 2 | 3 | 4
  /** One value per step; null without data. */
  readonly values: readonly (number | null)[]
}

interface ChartProps {
  /** Name within the page, for live updates. */
  readonly name: string
  /** Description for screen readers. */
  readonly label: string
  readonly kind: 'bars' | 'lines'
  readonly unit: string
  /** Start of each step. */
  readonly moments: readonly Date[]
  readonly stepSeconds: number
  /** Path that a click on a step opens with `from` and `to` of the step; none by default. */
  readonly link?: string
  readonly series: readonly ChartSeries[]
  /** Table with the same numbers. */
  readonly children: ComponentChildren
}

const MILLISECONDS_PER_SECOND = 1_000

/**
 * A chart with a table of its numbers. live.js draws the chart and closes the table. The space of the chart is
 * reserved, so that the layout does not shift.
 */
export function Chart({ name, label, kind, unit, moments, stepSeconds, link, series, children }: ChartProps) {
  const drawn = {
    kind,
    unit,
    stepSeconds,
    link,
    moments: moments.map((moment) => moment.getTime() / MILLISECONDS_PER_SECOND),
    series,
  }
  return (
    <figure class="chart">
      <div class="line">
        <ul class="legend">
          {series.map(({ title, colour }) => (
            <li class={`colour-${colour}`} key={title}>
              {title}
            </li>
          ))}
        </ul>
        <p class="readout muted" data-readout aria-hidden="true" />
      </div>
      <div
        class="drawing"
        role="img"
        aria-label={label}
        data-live={name}
        data-chart={JSON.stringify(drawn)}
      />
      <details open>
        <summary>Table</summary>
        {children}
      </details>
    </figure>
  )
}
