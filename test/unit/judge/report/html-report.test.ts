import t, { type Test } from 'tap'
import { type Report, renderReport } from '../../../../src/judge/index.js'
import { failure, report, result } from './sample-report.js'

const page = (given: Report) =>
  renderReport('html', given, { again: ({ id }) => `npx concordat conform "$RPC_URL" --replay ${id}` })

/** Position of texts in a page, which must all be there, in the order given. */
function inOrder(t: Test, html: string, texts: readonly string[]): void {
  let from = 0
  for (const text of texts) {
    const at = html.indexOf(text, from)
    t.ok(at >= 0, text)
    from = Math.max(from, at)
  }
}

t.test(
  'causes are listed under the rule that their cases share, the rule with most cases first',
  async (t) => {
    const rule = report([]).rules[0]
    const other = { ...failure, rules: ['quota.spent'] }
    const html = page(
      report([
        result('quota/one', 'fail', { ...other, cause: 'quota' }),
        result('logs/a', 'fail', { ...failure, cause: 'code' }),
        result('logs/b', 'fail', { ...failure, cause: 'status' }),
        result('derived/c', 'fail', { ...failure, rules: [], cause: 'schema' }),
      ]),
    )
    inOrder(t, html, [
      '<h2 id="failures">4 causes of failure</h2>',
      '<h3><code>blockHash</code> excludes <code>fromBlock</code>.</h3>',
      `<code>${rule?.pointer}</code>; 2 cases, 2 causes`,
      '<code>logs/a</code>',
      '<code>logs/b</code>',
      '<h3>x</h3>',
      '<code>quota/one</code>',
      '<h3>The case derived/c holds.</h3>',
      '<code>derived/c</code>',
      '<h2 id="cases">',
    ])
  },
)

t.test('a failure shows the member side by side, the smallest call, and the commands', async (t) => {
  const generated = { case: { steps: [{ call: 'book', params: [7] }] }, shrunkIn: 4 }
  const value = { where: '/result', got: 'an object of 1 member' }
  const html = page(
    report([
      result('explored/book/7-1', 'fail', {
        ...failure,
        generated,
        findings: [
          { ...value, expected: 'must have the member "title"' },
          { ...value, expected: 'must have the member "shelf"' },
          { where: '/error/code', expected: '-32602', got: '-32005' },
        ],
      }),
    ]),
  )
  inOrder(t, html, [
    '<dt>member</dt><dd><code>/result</code>',
    '<dt>expected</dt><dd><code><mark>must have the member &quot;title&quot;</mark></code><br><code><mark>must have the member &quot;shelf&quot;</mark></code>',
    '<dt>received</dt><dd><code><mark>an object of 1 member</mark></code>',
    '<dt>member</dt><dd><code>/error/code</code>',
    '<code>-32<mark>602</mark></code>',
    '<code>-32<mark>005</mark></code>',
    '<p>Smallest failing call found: <code>book([7])</code></p>',
    'curl -s &quot;$RPC_URL&quot;',
    '--replay explored/book/7-1',
    '<summary>The last 2 requests and answers</summary>',
  ])
})

t.test(
  'the parts that answers had are listed by schema and method, beside those that they never had',
  async (t) => {
    const part = (reached: readonly string[] | undefined, never: readonly string[]) => ({
      total: never.length + (reached ?? []).length,
      seen: (reached ?? []).length,
      ...(reached && { reached }),
      never,
    })
    const schema = '#/components/schemas/Block/properties'
    const html = page(
      report([], {
        coverage: {
          methods: part(['eth_getLogs'], []),
          members: part([`${schema}/hash`, `${schema}/a/properties/b`], [`${schema}/miner`]),
          branches: part([], ['#/methods/20/result/schema/oneOf/1']),
          errors: part(undefined, ['-32602']),
        },
      }),
    )
    inOrder(t, html, [
      '<h4>methods</h4>',
      '1 of 1 seen',
      '<th scope="col">never seen</th><th scope="col">seen</th>',
      '<td></td><td><code>eth_getLogs</code></td>',
      '<h4>result members</h4>',
      '2 of 3 seen',
      '<th scope="row"><code>Block</code></th><td><code>miner</code></td><td><code>hash</code> <code>a/b</code></td>',
      '<th scope="row"><code>eth_getLogs</code></th><td><code>oneOf/1</code></td>',
      '<td><code>-32602</code></td><td></td>',
    ])
  },
)

t.test('latencies are plotted over time and by method, the slowest method first', async (t) => {
  const numbers = { requests: 10, p50: 9, p90: 99, p99: 500, max: 999 }
  const html = page(
    report([], {
      latency: {
        all: numbers,
        methods: [
          { method: 'fast<b>', ...numbers, p99: 120, max: 120 },
          { method: 'slow', ...numbers },
        ],
        timeline: [
          { at: 0, milliseconds: 500, requests: 6, p50: 9, max: 99 },
          { at: 500, milliseconds: 500, requests: 4, p50: 99, max: 999 },
        ],
        pauses: [{ at: 250, milliseconds: 250, waiting: 3 }],
        limits: [{ method: 'slow', measure: 'p99', milliseconds: 400, actual: 500, isExceeded: true }],
      },
    }),
  )
  inOrder(t, html, [
    '<a href="#latency">Latency</a>',
    '<h2 id="latency">',
    'Slower than allowed: slow p99 500 ms (at most 400 ms)',
    'aria-label="Latencies over 1 s: median and maximum, up to 999 ms"',
    '<rect class="pause" x="250" y="0" width="250" height="160"><title>pause of 250 ms</title>',
    // A latency of 9 ms is a third of the height for 999 ms, on a logarithmic scale from 1 to 1000.
    '<rect class="median" x="0" y="106.7" width="499" height="53.3"/>',
    '<rect class="tail" x="500" y="0" width="499" height="160"/>',
    '<li>250 ms after 250 ms, 3 waiting</li>',
    '<code>slow</code> <span class="verdict fail">slower than allowed</span>',
    '<rect class="median" y="3" width="133.3" height="10"/>',
    '<code>fast&lt;b&gt;</code></th><td class="number">10</td>',
  ])
  t.notMatch(page(report([])), 'id="latency"')
})
