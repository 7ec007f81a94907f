import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { promtool, startPrometheus } from '../support/prometheus.js'
import { post, startService } from '../support/service.js'
import { sharedPostgres } from '../support/shared-postgres.js'
import { until } from '../support/until.js'

/** The files for Prometheus and Grafana, as they ship. */
const rulesFile = 'deploy/prometheus-rules.yml'

interface Rule {
  readonly alert?: string
  readonly expr: string
  readonly annotations?: { readonly runbook: string }
}
const { groups } = parse(await readFile(rulesFile, 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[]
}
const rules = groups.flatMap(({ rules }) => rules)
const alerts = rules.filter(({ alert }) => alert !== undefined)

t.test('the rules are valid, and each alert fires for what it is about, and not for less', async (t) => {
  t.match(await promtool('check', 'rules', rulesFile), 'SUCCESS')
  const tests = join('test', 'fixtures', 'prometheus', 'alerts.yml')
  t.match(await promtool('test', 'rules', tests), 'SUCCESS')
  const text = await readFile(tests, 'utf8')
  for (const { alert } of alerts) t.ok(text.includes(`alertname: ${alert}\n`), `${alert} is tested`)
})

t.test('the runbook has a section for each alert', async (t) => {
  const runbook = await readFile('docs/runbook.md', 'utf8')
  const sections = [...runbook.matchAll(/^## (\w+)$/gm)].map(([, title]) => title)
  t.strictSame(
    sections,
    alerts.map(({ alert }) => alert),
  )
  for (const { alert, annotations } of alerts)
    t.equal(annotations?.runbook, `docs/runbook.md#${alert?.toLowerCase()}`)
})

/** An error of a user, one of the service, and refusals by a limit and before the body. */
async function useService(origin: string, url: string): Promise<void> {
  const call = (method: string, params: unknown = []) => ({ jsonrpc: '2.0', id: 1, method, params })
  await post(url, call('eth_chainId'))
  await post(url, call('eth_getBlockByNumber', ['latest', false]))
  await post(url, call('eth_getBalance', ['x']))
  await post(`${origin}/${'A'.repeat(30)}-T`, call('eth_chainId'))
}

t.test(
  'every panel of the Grafana dashboard and every rule reads metrics of a running service',
  async (t) => {
    const databaseUrl = await (await sharedPostgres()).createDatabase('monitoring')
    const service = await startService({
      env: {
        DATABASE_URL: databaseUrl,
        CONCORDAT_SECRET: 'the secret of a service in a test',
        CONCORDAT_METRICS_PORT: '0',
        CONCORDAT_LIMIT_REQUESTS_PER_DAY: '20',
        CONCORDAT_LOG_LEVEL: 'silent',
      },
    })
    t.teardown(() => service.stop())
    const { url } = service.networks.test
    const prometheus = await startPrometheus(t, new URL(service.metrics ?? '').host)
    const { panels } = JSON.parse(await readFile('deploy/grafana-dashboard.json', 'utf8')) as {
      readonly panels: readonly {
        readonly title: string
        readonly targets: readonly { readonly expr: string }[]
      }[]
    }
    const queries = panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => [
        title,
        expr.replaceAll('$network', '.*').replaceAll('$__rate_interval', '1m'),
      ]),
    )
    // A query has data once its counters were scraped twice.
    for (const [title, query = ''] of queries) {
      await until(async () => {
        await useService(service.origin, url)
        return (await prometheus.query(query)).length > 0
      })
      t.pass(`${title}`)
    }
    const text = await (await fetch(service.metrics ?? '')).text()
    const names = rules.flatMap(({ expr }) => expr.match(/\b(?:concordat|nodejs)_[a-z]\w+(?=[{[ ])/g) ?? [])
    for (const name of new Set(names)) t.match(text, `# TYPE ${name.replace(/_bucket$/, '')} `, name)
    t.match(await prometheus.query('concordat_build_info'), [{ metric: { version: /^\d+\.\d+\.\d+/ } }])
  },
)
