import type { Failure, FailureCause, FailureFilter, KeyMetrics } from '../../administration/index.js'
import type { KeySummary } from '../../keys/index.js'
import type { DashboardLimits } from '../dashboard-services.js'
import { KeyPage } from '../one-key/key-page.js'
import { AsOf } from '../parts/as-of.js'
import { durationText, minuteText, numberText, secondText } from '../parts/format.js'
import { Hex } from '../parts/hex.js'
import { StackedTable } from '../parts/stacked-table.js'
import { Causes } from './causes.js'
import { failuresPath, filterQuery } from './failure-links.js'
import { methodTitle } from './method-title.js'
import { refusalTitle } from './refusal-titles.js'
import { Refusals } from './refusals.js'

interface KeyFailuresPageProps {
  readonly shown: KeySummary
  readonly network: string
  readonly filter: FailureFilter
  readonly entries: readonly Failure[]
  readonly causes: readonly FailureCause[]
  /** Query string of the next page of entries; undefined after the last. */
  readonly older: string | undefined
  /** The metrics of the last day, which count every failure. */
  readonly metrics: KeyMetrics
  readonly limits: DashboardLimits
  readonly referencePath: string
}

/** The log of failures of a key. */
export function KeyFailuresPage(props: KeyFailuresPageProps) {
  const { shown, network, filter, entries, causes, older, metrics, limits, referencePath } = props
  const base = failuresPath(shown.id)
  return (
    <KeyPage shown={shown} network={network} tab="/failures">
      <div class="heading">
        <h2>Failures of the last {limits.failureLogHours} hours</h2>
        <AsOf at={metrics.at} />
      </div>
      <Filter base={base} filter={filter} metrics={metrics} />
      <Causes keyId={shown.id} causes={causes} referencePath={referencePath} />
      {causes.length > 0 && entries.length > 0 && <h3>By time</h3>}
      {entries.length === 0 ? (
        <NoFailures base={base} id={shown.id} filter={filter} />
      ) : (
        <StackedTable
          name="failures"
          caption="Failed calls and refused requests, the latest first"
          columns={['Time', 'Method', 'Code', 'Message', 'Latency']}
          words={4}
          isDense
          rows={entries.map((entry) => [
            <a href={`${base}/${entry.id}`} key={entry.id}>
              {secondText(entry.at)}
            </a>,
            <span key="method">
              <MethodName of={entry} />
            </span>,
            <code key="code">{entry.code}</code>,
            <span key="message">
              <Hex text={entry.message} />
            </span>,
            durationText(entry.isRefused ? null : entry.milliseconds),
          ])}
        />
      )}
      <p class="actions">
        {older !== undefined && <a href={`${base}${older}`}>Older</a>}
        {entries.length > 0 && <a href={`${base}.json${filterQuery(filter)}`}>Download (JSON)</a>}
      </p>
      <p class="muted">
        <Counted filter={filter} metrics={metrics} /> The log keeps at most{' '}
        {numberText(limits.failuresPerKeyPerMinute)} failed calls a minute and{' '}
        {numberText(limits.failuresPerKey)} in all, of each method and code the first of a minute and the last
        of all. Requests that this key’s lists or tokens refused are free of charge and take no room of failed
        calls.
      </p>
      <Refusals metrics={metrics} keyId={shown.id} period={`in the last ${limits.failureLogHours} hours`} />
    </KeyPage>
  )
}

interface NoFailuresProps extends Pick<FilterProps, 'base' | 'filter'> {
  /** Id of the key. */
  readonly id: string
}

function NoFailures({ base, id, filter }: NoFailuresProps) {
  const isFiltered = filterQuery(filter) !== ''
  return (
    <section class="empty">
      <h3>No failures</h3>
      <p>
        {isFiltered
          ? 'No failure matches the filter.'
          : 'Every call was answered with a result. A failed call appears here within seconds, with its parameters.'}
      </p>
      <p>{isFiltered ? <a href={base}>Show all failures</a> : <a href={`/keys/${id}`}>Send a call</a>}</p>
    </section>
  )
}

/** The method of an entry, or what refused the request. */
export function MethodName({ of: { isRefused, method, code } }: { readonly of: Failure }) {
  if (isRefused) return <>Refused {refusalTitle(method)}</>
  return method === '' ? <span class="whole">{methodTitle(method, [code])}</span> : <code>{method}</code>
}

interface FilterProps {
  readonly base: string
  readonly filter: FailureFilter
  readonly metrics: KeyMetrics
}

/** The form that selects entries, with the methods and codes that failed. */
function Filter({ base, filter, metrics: { errors, refusals } }: FilterProps) {
  const { method, code, isRefused, from, to } = filter
  const methods = [...new Set(errors.map((each) => each.method))].sort()
  const codes = [...new Set(errors.map((each) => each.code))].sort((one, other) => one - other)
  const kind = isRefused === undefined ? '' : isRefused ? 'refused' : 'failed'
  const isFiltered = filterQuery(filter) !== ''
  return (
    <form method="get" action={base} class="filter">
      <Select
        name="kind"
        label="Kind"
        chosen={kind}
        options={[
          ['', 'All'],
          ['failed', 'Failed calls'],
          ...(refusals.length > 0 || isRefused ? [['refused', 'Refused requests'] as const] : []),
        ]}
      />
      <Select
        name="method"
        label="Method"
        chosen={method === '' ? 'unknown' : (method ?? '')}
        options={[
          ['', 'All'],
          ...withChosen(methods, method).map((each) =>
            each === '' ? (['unknown', 'Unknown or no method'] as const) : ([each, each] as const),
          ),
        ]}
      />
      <Select
        name="code"
        label="Code"
        chosen={code === undefined ? '' : String(code)}
        options={[
          ['', 'All'],
          ...withChosen(codes, code).map((each) => [String(each), String(each)] as const),
        ]}
      />
      {from !== undefined && <input type="hidden" name="from" value={from.toISOString()} />}
      {to !== undefined && <input type="hidden" name="to" value={to.toISOString()} />}
      <button class="quiet" type="submit">
        Filter
      </button>
      {isFiltered && <a href={base}>Show all</a>}
      {(from !== undefined || to !== undefined) && (
        <p class="muted">
          {from !== undefined && `From ${minuteText(from)}`}
          {to !== undefined && ` until ${minuteText(to)}`}
        </p>
      )}
    </form>
  )
}

const withChosen = <Value,>(values: readonly Value[], chosen: Value | undefined): readonly Value[] =>
  chosen === undefined || values.includes(chosen) ? values : [...values, chosen]

interface SelectProps {
  readonly name: string
  readonly label: string
  readonly chosen: string
  /** Values with their texts. */
  readonly options: readonly (readonly [string, string])[]
}

function Select({ name, label, chosen, options }: SelectProps) {
  return (
    <label>
      {label}
      <select name={name}>
        {options.map(([value, text]) => (
          <option key={value} value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

/** How many failures the filter selects, listed or not. A filter by time is not counted. */
function Counted({ filter, metrics }: Pick<FilterProps, 'filter' | 'metrics'>) {
  const { method, code, isRefused, from, to } = filter
  if (from !== undefined || to !== undefined) return null
  const failed = sum(
    metrics.errors.filter(
      (each) =>
        (method === undefined || each.method === method) && (code === undefined || each.code === code),
    ),
  )
  const refused = method === undefined && code === undefined ? sum(metrics.refusals) : 0
  const count = (isRefused === true ? 0 : failed) + (isRefused === false ? 0 : refused)
  return (
    <>
      {numberText(count)} {count === 1 ? 'failure' : 'failures'} happened in this time, listed or not.
    </>
  )
}

const sum = (counted: readonly { readonly requests: number }[]) =>
  counted.reduce((total, { requests }) => total + requests, 0)
