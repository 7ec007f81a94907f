import type { KeyMetrics } from '../../administration/index.js'
import { minuteText, numberText } from '../parts/format.js'
import { Table } from '../parts/table.js'
import { failuresPath } from './failure-links.js'
import { refusalTitle } from './refusal-titles.js'

interface RefusalsProps {
  readonly metrics: KeyMetrics
  readonly keyId: string
  /** The period of the metrics in words, such as `in the last 24 hours`. */
  readonly period: string
}

/** The requests that the key's own rules refused. */
export function Refusals({ metrics: { refusals }, keyId, period }: RefusalsProps) {
  return (
    <section aria-labelledby="refusals">
      <h2 id="refusals">Refused requests</h2>
      <p class="hint">Requests that this key’s own rules refused {period}, free of charge.</p>
      <Table
        name="refusals"
        caption={`Refused requests ${period}, by rule`}
        columns={['Refused', 'Requests', 'Last']}
        rows={
          refusals.length === 0
            ? [['None in this period', '–', '–']]
            : refusals.map(({ rule, requests, lastAt }) => [
                <a href={failuresPath(keyId, { isRefused: true, method: rule })} key={rule}>
                  {refusalTitle(rule)}
                </a>,
                numberText(requests),
                minuteText(lastAt),
              ])
        }
      />
    </section>
  )
}
