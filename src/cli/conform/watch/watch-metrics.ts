import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { UsageError } from '../../io.js'

/** The values that a watch exports. */
export interface WatchMetrics {
  readonly isUp: boolean
  /** Judged rules, each with whether it fails. */
  readonly rules: ReadonlyMap<string, boolean>
  readonly verdicts: ReadonlyMap<string, number>
  readonly latency: ReadonlyMap<string, LatencyHistogram>
  readonly rounds: number
  readonly rotations: number
  readonly cases: number
  readonly billed: number
  readonly perHour: number
  /** End of the last round in seconds since 1970; 0 before the first. */
  readonly lastRound: number
}

/** Upper bounds of latency in seconds. */
const BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const

/** Counts of durations by upper bound. */
export class LatencyHistogram {
  readonly #counts = BOUNDS.map(() => 0)
  #sum = 0
  #count = 0

  /** @param seconds time until an answer was complete */
  add(seconds: number): void {
    this.#sum += seconds
    this.#count++
    for (const [index, bound] of BOUNDS.entries()) {
      if (seconds <= bound) this.#counts[index] = (this.#counts[index] ?? 0) + 1
    }
  }

  /** The samples of the histogram with the given name and labels. */
  lines(name: string, labels: Labels): readonly string[] {
    const buckets = [...BOUNDS.map((bound, index) => [String(bound), this.#counts[index] ?? 0] as const)]
    return [
      ...[...buckets, ['+Inf', this.#count] as const].map(([le, count]) =>
        sample(`${name}_bucket`, count, { ...labels, le }),
      ),
      sample(`${name}_sum`, Number(this.#sum.toFixed(6)), labels),
      sample(`${name}_count`, this.#count, labels),
    ]
  }
}

type Labels = Readonly<Record<string, string>>

function sample(name: string, value: number, labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`
}

/** Escapes a label value as the text format of Prometheus requires. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

/** Formats the metrics in the text format of Prometheus, version 0.0.4. */
export function metricsText(metrics: WatchMetrics): string {
  const { isUp, rules, verdicts, latency } = metrics
  const family = (name: string, type: string, help: string, samples: readonly string[]) =>
    samples.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples]
  const single = (name: string, type: string, help: string, value: number) =>
    family(name, type, help, [sample(name, value)])
  const duration = 'concordat_watch_request_duration_seconds'
  return [
    ...single('concordat_watch_up', 'gauge', '1 if the service answered in the last round.', isUp ? 1 : 0),
    ...family(
      'concordat_watch_rule_failing',
      'gauge',
      '1 if a case of the rule fails. Rules that were not judged yet are absent.',
      [...rules].map(([rule, fails]) => sample('concordat_watch_rule_failing', fails ? 1 : 0, { rule })),
    ),
    ...family(
      'concordat_watch_verdicts_total',
      'counter',
      'Judged cases by verdict.',
      [...verdicts].map(([verdict, count]) => sample('concordat_watch_verdicts_total', count, { verdict })),
    ),
    ...family(
      duration,
      'histogram',
      'Time until answers were complete.',
      [...latency].flatMap(([method, histogram]) => histogram.lines(duration, { method })),
    ),
    ...single('concordat_watch_billed_requests_total', 'counter', 'Billed requests.', metrics.billed),
    ...single(
      'concordat_watch_budget_requests_per_hour',
      'gauge',
      'Maximum billed requests in any hour.',
      metrics.perHour,
    ),
    ...single('concordat_watch_cases', 'gauge', 'Cases of the rotation.', metrics.cases),
    ...single('concordat_watch_rounds_total', 'counter', 'Rounds.', metrics.rounds),
    ...single('concordat_watch_rotations_total', 'counter', 'Complete rotations.', metrics.rotations),
    ...single(
      'concordat_watch_last_round_timestamp_seconds',
      'gauge',
      'End of the last round.',
      metrics.lastRound,
    ),
    '',
  ].join('\n')
}

/** A server of metrics. */
export interface MetricsServer {
  /** `http://127.0.0.1:…/metrics`. */
  readonly url: string
  close(): void
}

/**
 * Serves a text at `/metrics` on 127.0.0.1.
 * @param port 0 chooses a free port
 * @param text creates the text for each request
 * @throws UsageError if the port cannot be used
 */
export async function serveMetrics(port: number, text: () => string): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    request.resume()
    const [path] = (request.url ?? '').split('?', 1)
    if (path !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Metrics are at /metrics\n')
    } else {
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text())
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      reject(new UsageError(`--metrics-port ${port}: ${code === 'EADDRINUSE' ? 'already in use' : message}`)),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
