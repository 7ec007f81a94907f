import type { FailureFilter, KeyMetrics, Tally } from '../../administration/index.js'
import { errorMessage, outcomeOf } from '../../administration/index.js'
import { failuresPath } from '../failures/failure-links.js'
import { methodTitle } from '../failures/method-title.js'
import { CountsNote } from '../parts/counts-note.js'
import { Fact } from '../parts/fact.js'
import { durationText, minuteText, numberText, ratioText, shareText, successText } from '../parts/format.js'
import { outcomeColours, outcomes, outcomeTitles } from '../parts/outcomes.js'
import { Table } from '../parts/table.js'

interface Shown {
  /** The key, whose failures are linked; undefined for the keys of an account together. */
  readonly keyId?: string | undefined
  readonly metrics: KeyMetrics
}

/** The counts and latencies of a period. */
export function Summary({ keyId, metrics: { total, steps } }: Shown) {
  const from = steps[0]?.startsAt
  return (
    <section aria-labelledby="summary">
      <h2 id="summary" class={keyId === undefined ? 'unseen' : undefined}>
        Summary
      </h2>
      <div data-live="summary">
        <dl class="numbers">
          <Fact name="Received">{numberText(total.requests)}</Fact>
          <Fact name="Charged">{numberText(total.charged)}</Fact>
          <Fact name="Success rate">
            <Success keyId={keyId} of={total} filter={{}} />
          </Fact>
          <Fact name="Median latency">
            {durationText(total.p50)}
            <small>
              95th percentile <span class="whole">{durationText(total.p95)}</span>
            </small>
          </Fact>
        </dl>
        <dl class="numbers parts">
          {outcomes.map((outcome) => (
            <Fact name={outcomeTitles[outcome]} colour={outcomeColours[outcome]} key={outcome}>
              {numberText(total.outcomes[outcome])}
            </Fact>
          ))}
        </dl>
        <p class="hint">
          The success rate is the share of received requests with a result
          {from !== undefined && ` since ${minuteText(from)}`}. Client errors, such as invalid parameters and
          reverts, lower the rate. They are counted separately from server errors. Latency is the time between
          the arrival of a request and its answer; percentiles are estimates.
        </p>
      </div>
    </section>
  )
}

interface SuccessProps extends Pick<Shown, 'keyId'> {
  readonly of: Tally
  readonly filter: FailureFilter
}

/** A success rate, which leads to the failures if there are any. */
function Success({ keyId, of, filter }: SuccessProps) {
  const text = successText(of)
  if (keyId === undefined || of.requests === of.outcomes.result) return <>{text}</>
  return <a href={failuresPath(keyId, { isRefused: false, ...filter })}>{text}</a>
}

const methodColumns = [
  'Method',
  'Received',
  'Share',
  'Success rate',
  'Charged',
  'Node calls',
  'Per call',
  'Median',
  '95th percentile',
  'Slowest',
]

/** The calls by method. */
export function Methods({ keyId, metrics: { methods, errors, total } }: Shown) {
  const codes = errors.filter(({ method }) => method === '').map(({ code }) => code)
  return (
    <section aria-labelledby="methods">
      <h2 id="methods">By method</h2>
      <Table
        name="methods"
        caption="Calls by method, the most called first"
        columns={methodColumns}
        rows={
          methods.length === 0
            ? [['No calls in this period', ...methodColumns.slice(1).map(() => '–')]]
            : methods.map((each) => [
                each.method === '' ? methodTitle('', codes) : <code>{each.method}</code>,
                numberText(each.requests),
                shareText(each.requests, total.requests),
                <Success key="success" keyId={keyId} of={each} filter={{ method: each.method }} />,
                numberText(each.charged),
                numberText(each.nodeCalls),
                ratioText(each.nodeCalls, each.requests),
                durationText(each.p50),
                durationText(each.p95),
                durationText(each.slowest),
              ])
        }
      />
      <CountsNote />
    </section>
  )
}

/** The errors by method and code. */
export function Errors({ keyId, metrics: { errors, total } }: Shown) {
  return (
    <section aria-labelledby="errors">
      <h2 id="errors">Errors by method and code</h2>
      <Table
        name="errors"
        caption="Errors by method and code, the most frequent first"
        columns={['Code', 'Meaning', 'Method', 'Counted as', 'Received', 'Share']}
        words={4}
        rows={
          errors.length === 0
            ? [['No errors in this period', '–', '–', '–', '–', '–']]
            : errors.map(({ method, code, requests }) => [
                keyId === undefined ? (
                  <code key={code}>{code}</code>
                ) : (
                  <a href={failuresPath(keyId, { method, code })} key={code}>
                    <code>{code}</code>
                  </a>
                ),
                errorMessage(code),
                method === '' ? methodTitle('', [code]) : <code key="method">{method}</code>,
                outcomeTitles[outcomeOf(code)],
                numberText(requests),
                shareText(requests, total.requests),
              ])
        }
      />
    </section>
  )
}
