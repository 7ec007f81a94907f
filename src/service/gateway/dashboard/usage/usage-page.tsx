import type { AccountUsage } from '../../administration/index.js'
import { AsOf } from '../parts/as-of.js'
import { Chart } from '../parts/chart.js'
import { Choice } from '../parts/choice.js'
import { CountsNote } from '../parts/counts-note.js'
import { Fact } from '../parts/fact.js'
import { loweredNote, minuteText, numberText, shareText } from '../parts/format.js'
import { StackedTable } from '../parts/stacked-table.js'
import { Table } from '../parts/table.js'

/** Options for the number of days. */
export const historyDays = [30, 90] as const

interface UsagePageProps {
  readonly usage: AccountUsage
  readonly days: (typeof historyDays)[number]
  /** Requests per account and day. */
  readonly limit: number
  /** True if an operator lowered the limit. */
  readonly isLowered: boolean
  /** The reason that the operator gave; null if there is none. */
  readonly limitsReason: string | null
  /** Share of the limit from which the page warns. */
  readonly warningPercent: number
}

const DAY_SECONDS = 86_400
const wholePercent = 100

/** The usage of an account. */
export function UsagePage({ usage, days, limit, isLowered, limitsReason, warningPercent }: UsagePageProps) {
  return (
    <>
      <div class="heading">
        <h1>Usage</h1>
        <AsOf at={usage.at} />
      </div>
      {isLowered && <p class="notice">{loweredNote('daily limit', limitsReason)}</p>}
      <div data-reload>
        <Today usage={usage} limit={limit} warningPercent={warningPercent} />
        <ByKey usage={usage} />
        <History usage={usage} days={days} limit={limit} />
        <Exceeded limit={limit} />
      </div>
    </>
  )
}

interface Shown {
  readonly usage: AccountUsage
}

const nothing = { charged: 0, received: 0, answered: 0, unanswered: 0, refused: 0, nodeCalls: 0 }
const todayOf = ({ days }: AccountUsage) => days.at(-1) ?? nothing

function Today({
  usage,
  limit,
  warningPercent,
}: Omit<UsagePageProps, 'days' | 'isLowered' | 'limitsReason'>) {
  const { charged, received, answered, unanswered, refused, nodeCalls } = todayOf(usage)
  const left = Math.max(0, limit - charged)
  return (
    <section class="card" aria-labelledby="today">
      <h2 id="today">Today</h2>
      <div data-live="today">
        <p class="figure">
          {numberText(charged)} of {numberText(limit)} requests charged
        </p>
        <meter
          aria-label="Requests charged today"
          min={0}
          max={limit}
          high={(limit * warningPercent) / wholePercent}
          value={Math.min(charged, limit)}
        >
          {shareText(charged, limit)}
        </meter>
        <dl class="facts">
          <Fact name="Left">{numberText(left)}</Fact>
          <Fact name="Resets at">{minuteText(usage.resetsAt)}</Fact>
          <Fact name="Received">{numberText(received)}</Fact>
          <Fact name="Answered">{numberText(answered)}</Fact>
          {unanswered > 0 && <Fact name={unansweredTitle}>{numberText(unanswered)}</Fact>}
          <Fact name="Refused">{numberText(refused)}</Fact>
          <Fact name="Node calls">{numberText(nodeCalls)}</Fact>
          {usage.lastRefusedAt !== null && <Fact name="Last refused">{minuteText(usage.lastRefusedAt)}</Fact>}
        </dl>
        {left === 0 && (
          <p class="notice bad">
            The daily limit is reached. Calls are refused with HTTP 429 and code -32005 until{' '}
            {minuteText(usage.resetsAt)}.
          </p>
        )}
      </div>
    </section>
  )
}

const unansweredTitle = 'Charged without an answer'

function ByKey({ usage }: Shown) {
  const { keys } = usage
  const { received, answered, unanswered, refused, nodeCalls } = todayOf(usage)
  const counts = (...all: readonly number[]) => all.map(numberText)
  const more = [
    ...(unanswered > 0 ? [[unansweredTitle, ...counts(unanswered, 0, 0, 0)]] : []),
    ...(keys.length + unanswered > 1
      ? [['All keys', ...counts(received, answered, refused, nodeCalls)]]
      : []),
  ]
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">Today by key</h2>
      {keys.length === 0 ? (
        <p class="muted">
          No keys. <a href="/keys/new">Create a key</a>
        </p>
      ) : (
        <StackedTable
          name="keys"
          caption="Today’s requests by key"
          columns={['Key', 'Received', 'Answered', 'Refused', 'Node calls']}
          words={1}
          rows={[
            ...keys.map((key) => [
              <>
                {key.isDeleted ? (
                  `${key.name} (deleted)`
                ) : (
                  <a href={`/keys/${key.id}/metrics?range=day`}>{key.name}</a>
                )}{' '}
                <code>{key.masked}</code>
              </>,
              ...counts(key.answered + key.refused, key.answered, key.refused, key.nodeCalls),
            ]),
            ...more,
          ]}
        />
      )}
      <CountsNote />
    </section>
  )
}

function History({
  usage,
  days,
  limit,
}: Omit<UsagePageProps, 'isLowered' | 'limitsReason' | 'warningPercent'>) {
  const moments = usage.days.map(({ day }) => new Date(day))
  return (
    <section aria-labelledby="history">
      <div class="heading">
        <h2 id="history">History</h2>
        <Choice
          label="Days shown"
          options={historyDays}
          chosen={days}
          hrefOf={(each) => `/usage?days=${each}`}
          titleOf={(each) => `${each} days`}
        />
      </div>
      <Chart
        name="history-chart"
        label={`Requests per day in the last ${days} days. The table below has the numbers.`}
        kind="bars"
        unit=""
        moments={moments}
        stepSeconds={DAY_SECONDS}
        series={[
          { title: 'Charged', colour: 1, values: usage.days.map(({ charged }) => charged) },
          { title: 'Refused', colour: 3, values: usage.days.map(({ refused }) => refused) },
        ]}
      >
        <Table
          name="history"
          caption="Requests by day (UTC), the latest first"
          columns={['Day', 'Received', 'Charged', 'Share of today’s limit', 'Refused', 'Node calls']}
          rows={usage.days
            .toReversed()
            .map(({ day, received, charged, refused, nodeCalls }) => [
              day,
              numberText(received),
              numberText(charged),
              shareText(charged, limit),
              numberText(refused),
              numberText(nodeCalls),
            ])}
        />
      </Chart>
      <p>
        <a href={`/usage/days.csv?days=${days}`}>Download by day (CSV)</a>
      </p>
    </section>
  )
}

function Exceeded({ limit }: { readonly limit: number }) {
  return (
    <section aria-labelledby="exceeded">
      <h2 id="exceeded">When the limit is exceeded</h2>
      <p>
        An account has {numberText(limit)} requests per UTC day for all keys and networks; each request of a
        batch counts. Further calls are refused with HTTP 429 and error -32005. The error contains the limit,
        the number of used requests and the time of the reset. Refused requests are not charged. In a batch,
        requests within the limit are answered and the others are refused. Calls refused because of too many
        concurrent requests also count as refused.
      </p>
    </section>
  )
}
