import { type KeyMetrics, type MetricRange, metricRanges } from '../../administration/index.js'
import type { KeySummary } from '../../keys/index.js'
import { failuresPath } from '../failures/failure-links.js'
import { Refusals } from '../failures/refusals.js'
import { KeyPage } from '../one-key/key-page.js'
import { AsOf } from '../parts/as-of.js'
import { Chart } from '../parts/chart.js'
import { Choice } from '../parts/choice.js'
import { durationText, minuteText, numberText } from '../parts/format.js'
import { outcomeColours, outcomes, outcomeTitles } from '../parts/outcomes.js'
import { Table } from '../parts/table.js'
import { Errors, Methods, Summary } from './metric-tables.js'

interface KeyMetricsPageProps {
  readonly shown: KeySummary
  readonly network: string
  readonly range: MetricRange
  readonly metrics: KeyMetrics
}

const MILLISECONDS_PER_SECOND = 1_000

/** Titles of the periods. */
export const rangeTitles: Readonly<Record<MetricRange, string>> = {
  hour: 'Last hour',
  day: 'Last day',
  week: '7 days',
  month: '30 days',
}
const stepTitles: Readonly<Record<MetricRange, string>> = {
  hour: 'minute',
  day: '15 minutes',
  week: '3 hours',
  month: '6 hours',
}
/** All periods. */
export const ranges = Object.keys(metricRanges) as MetricRange[]

/** The metrics of a key. */
export function KeyMetricsPage({ shown, network, range, metrics }: KeyMetricsPageProps) {
  const base = `/keys/${shown.id}/metrics`
  const charted = { ...metrics, steps: sinceFirstCall(shown, metrics.steps) }
  return (
    <KeyPage shown={shown} network={network} tab="/metrics">
      <div class="heading">
        <Choice
          label="Period"
          options={ranges}
          chosen={range}
          hrefOf={(each) => `${base}?range=${each}`}
          titleOf={(each) => rangeTitles[each]}
        />
        <AsOf at={metrics.at} />
      </div>
      <div data-events={`${base}/events?range=${range}`}>
        <div data-live="start">
          {shown.lastUsedAt === null && metrics.total.requests === 0 && <NoCalls id={shown.id} />}
        </div>
        <Summary keyId={shown.id} metrics={metrics} />
        <CallsChart shown={shown} range={range} metrics={charted} />
        <LatencyChart range={range} metrics={charted} />
        <Methods keyId={shown.id} metrics={metrics} />
        <Errors keyId={shown.id} metrics={metrics} />
        <Refusals metrics={metrics} keyId={shown.id} period="in this period" />
      </div>
      <p class="actions">
        <a href={`${base}/steps.csv?range=${range}`}>Download by time (CSV)</a>
        <a href={`${base}/methods.csv?range=${range}`}>Download by method (CSV)</a>
      </p>
    </KeyPage>
  )
}

/** The steps of a chart. Those of a key that was created within the period begin at its first call. */
function sinceFirstCall({ createdAt }: KeySummary, steps: KeyMetrics['steps']): KeyMetrics['steps'] {
  const [first] = steps
  if (first === undefined || createdAt < first.startsAt) return steps
  return steps.slice(
    Math.max(
      0,
      steps.findIndex(({ requests }) => requests > 0),
    ),
  )
}

function NoCalls({ id }: Pick<KeySummary, 'id'>) {
  return (
    <section class="empty">
      <h2>No calls yet</h2>
      <p>Send a first call with this key. It appears here within seconds.</p>
      <p>
        <a class="button" href={`/keys/${id}`}>
          Send a call
        </a>
      </p>
    </section>
  )
}

interface ChartedProps {
  readonly shown: KeySummary
  readonly metrics: KeyMetrics
  readonly range: MetricRange
}

function CallsChart({ shown, range, metrics: { steps } }: ChartedProps) {
  const step = stepTitles[range]
  const { stepSeconds } = metricRanges[range]
  return (
    <section aria-labelledby="calls">
      <h2 id="calls">Calls per {step}</h2>
      <Chart
        name="calls-chart"
        label={`Calls per ${step}, stacked by outcome. The table below has the numbers.`}
        kind="bars"
        unit=""
        moments={steps.map(({ startsAt }) => startsAt)}
        stepSeconds={stepSeconds}
        link={failuresPath(shown.id)}
        series={outcomes.map((outcome) => ({
          title: outcomeTitles[outcome],
          colour: outcomeColours[outcome],
          values: steps.map((each) => each.outcomes[outcome]),
        }))}
      >
        <Table
          name="calls-table"
          caption={`Calls per ${step}, the latest first`}
          columns={['From', 'Received', ...outcomes.map((outcome) => outcomeTitles[outcome]), 'Charged']}
          rows={steps
            .toReversed()
            .map(({ startsAt, requests, charged, outcomes: of }) => [
              <StepName
                key="from"
                shown={shown}
                startsAt={startsAt}
                stepSeconds={stepSeconds}
                hasFailures={requests > of.result}
              />,
              numberText(requests),
              ...outcomes.map((outcome) => numberText(of[outcome])),
              numberText(charged),
            ])}
        />
      </Chart>
    </section>
  )
}

interface StepNameProps extends Pick<ChartedProps, 'shown'> {
  readonly startsAt: Date
  readonly stepSeconds: number
  readonly hasFailures: boolean
}

/** The start of a step, which leads to the failures of the step if there are any. */
function StepName({ shown, startsAt, stepSeconds, hasFailures }: StepNameProps) {
  if (!hasFailures) return <>{minuteText(startsAt)}</>
  const to = new Date(startsAt.getTime() + stepSeconds * MILLISECONDS_PER_SECOND)
  return <a href={failuresPath(shown.id, { from: startsAt, to })}>{minuteText(startsAt)}</a>
}

function LatencyChart({ range, metrics: { steps } }: Omit<ChartedProps, 'shown'>) {
  const step = stepTitles[range]
  return (
    <section aria-labelledby="latency">
      <h2 id="latency">Latency</h2>
      <Chart
        name="latency-chart"
        label={`Latency per ${step}. The table below has the numbers.`}
        kind="lines"
        unit="ms"
        moments={steps.map(({ startsAt }) => startsAt)}
        stepSeconds={metricRanges[range].stepSeconds}
        series={[
          { title: 'Median', colour: 1, values: steps.map(({ p50 }) => p50) },
          { title: '95th percentile', colour: 2, values: steps.map(({ p95 }) => p95) },
        ]}
      >
        <Table
          name="latency-table"
          caption={`Latency per ${step}, the latest first`}
          columns={['From', 'Median', '95th percentile', 'Slowest']}
          rows={steps
            .toReversed()
            .map(({ startsAt, requests, p50, p95, slowest }) => [
              minuteText(startsAt),
              durationText(p50),
              durationText(p95),
              durationText(requests === 0 ? null : slowest),
            ])}
        />
      </Chart>
    </section>
  )
}
