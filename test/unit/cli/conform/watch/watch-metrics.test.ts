import t from 'tap'
import {
  LatencyHistogram,
  metricsText,
  serveMetrics,
} from '../../../../../src/cli/conform/watch/watch-metrics.js'

const latency = new LatencyHistogram()
for (const seconds of [0.01, 0.3, 60]) latency.add(seconds)

const text = metricsText({
  isUp: true,
  rules: new Map([
    ['books.null', true],
    ['say "\\\n"', false],
  ]),
  verdicts: new Map([['pass', 3]]),
  latency: new Map([['book', latency]]),
  rounds: 4,
  rotations: 1,
  cases: 7,
  billed: 12,
  perHour: 500,
  lastRound: 1_800_000_000.5,
})

t.test('metrics follow the text format of Prometheus', async (t) => {
  const name = String.raw`[a-z_]+(?:\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z]+="(?:[^"\\\n]|\\["\\n])*")*\})?`
  const line = new RegExp(`^(?:# (?:HELP|TYPE) [a-z_]+ .+|${name} [\\d.]+)$`)
  t.same(
    text.split('\n').filter((part) => part !== '' && !line.test(part)),
    [],
  )
  t.ok(text.endsWith('\n'))
  for (const wanted of [
    'concordat_watch_up 1',
    'concordat_watch_rule_failing{rule="books.null"} 1',
    String.raw`concordat_watch_rule_failing{rule="say \"\\\n\""} 0`,
    'concordat_watch_request_duration_seconds_bucket{method="book",le="0.01"} 1',
    'concordat_watch_request_duration_seconds_bucket{method="book",le="0.5"} 2',
    'concordat_watch_request_duration_seconds_bucket{method="book",le="+Inf"} 3',
    'concordat_watch_request_duration_seconds_sum{method="book"} 60.31',
    'concordat_watch_last_round_timestamp_seconds 1800000000.5',
  ]) {
    t.match(text, `${wanted}\n`)
  }
})

t.test('only /metrics is served, and a port can be taken', async (t) => {
  const server = await serveMetrics(0, () => text)
  t.teardown(() => server.close())
  const response = await fetch(server.url)
  t.match(response.headers.get('content-type'), 'text/plain; version=0.0.4')
  t.equal(await response.text(), text)
  t.equal((await fetch(new URL('/', server.url))).status, 404)
  await t.rejects(
    serveMetrics(Number(new URL(server.url).port), () => ''),
    { message: /already in use/ },
  )
})
