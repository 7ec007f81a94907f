import t from 'tap'
import { settingsSchema } from '../../../../../src/service/gateway/app/config/settings-schema.js'
import { createReload, type Reloadable } from '../../../../../src/service/gateway/app/reload.js'
import { createLog, readSettings } from '../../../../../src/service/gateway/index.js'

const nodeUrl = 'http://127.0.0.1:4444'
const otherUrl = 'http://127.0.0.1:4445'
const written = { nodes: { test: [nodeUrl], main: [nodeUrl] } }
type Written = Readonly<Record<string, unknown>>

const settingsOf = (file: Written) => readSettings({}, { file: { name: 'file', text: JSON.stringify(file) } })

/** A running service with these settings, and the values that it has accepted since. */
function running(file: Written = written) {
  const settings = settingsOf(file)
  const applied: [setting: string, value: unknown][] = []
  const note = (setting: string) => (value: unknown) => void applied.push([setting, value])
  const limits: Record<string, number> = { ...settings.limits }
  const setLimits: Reloadable['setLimits'] = (next) => {
    for (const [name, value] of Object.entries(next)) {
      if (limits[name] !== value) applied.push([name, value])
      limits[name] = value
    }
  }
  /** As networks do: a change to a development chain needs a restart. */
  const network = (name: string) => ({
    replaceNodes(nodes: readonly { readonly url: string }[]) {
      if (nodes.length > 0) applied.push([name, nodes.map(({ url }) => url)])
      return nodes.length > 0
    },
  })
  const log = createLog(settings.logLevel, () => undefined)
  const parts: Reloadable = {
    log,
    networks: Object.fromEntries(settings.networks.map((name) => [name, network(name)])),
    setOperators: note('operators'),
    setLimits,
  }
  const reload = createReload(parts, settings)
  return { log, applied, reload: (next: Written) => reload(settingsOf(next)) }
}

t.test('settings that can change while the service runs are applied, each to its part', async (t) => {
  const rows: readonly [name: string, next: Written, applied: readonly [string, unknown][]][] = [
    ['nodes.test', { nodes: { test: [otherUrl], main: [nodeUrl] } }, [['test', [otherUrl]]]],
    [
      'nodes.main',
      { nodes: { test: [nodeUrl], main: [nodeUrl, otherUrl] } },
      [['main', [nodeUrl, otherUrl]]],
    ],
    ...Object.keys(settingsSchema.properties.limits.properties).map((name): (typeof rows)[number] => [
      `limits.${name}`,
      { ...written, limits: { [name]: 30 } },
      [[name, 30]],
    ]),
    ['operators', { ...written, operators: ['ada@example.com'] }, [['operators', ['ada@example.com']]]],
    ['logLevel', { ...written, logLevel: 'warn' }, []],
  ]
  for (const [name, next, wanted] of rows) {
    const { applied, log, reload } = running()
    t.strictSame(reload(next), { changed: [name], needRestart: [] }, name)
    t.strictSame(applied, wanted, name)
    t.equal(log.level, name === 'logLevel' ? 'warn' : 'info', name)
    t.strictSame(reload(next), { changed: [], needRestart: [] }, `${name}, again`)
    t.strictSame(reload(written), { changed: [name], needRestart: [] }, `${name}, back`)
    t.equal(log.level, 'info')
  }
})

t.test('other settings keep their values and are named at each reload', async (t) => {
  const { applied, reload } = running()
  const next = {
    ...written,
    port: 8_081,
    limits: { connections: 7 },
    metrics: { port: 9_090 },
    traces: { endpoint: 'http://127.0.0.1:4318' },
    publicUrls: { test: 'https://rpc.example.net' },
  }
  const needRestart = [
    'metrics.port',
    'port',
    'publicUrls.test',
    'traces.endpoint',
    'traces.ratio',
    'traces.serviceName',
  ]
  t.strictSame(reload(next), { changed: ['limits.connections'], needRestart })
  t.strictSame(reload(next), { changed: [], needRestart })
  t.strictSame(reload({ ...written, port: 8_081 }), {
    changed: ['limits.connections'],
    needRestart: ['port'],
  })
  t.strictSame(reload(written), { changed: [], needRestart: [] })
  t.strictSame(applied, [
    ['connections', 7],
    ['connections', 10_000],
  ])
})

t.test('a group of settings that is no longer written needs a restart', async (t) => {
  const { reload } = running({ ...written, traces: { endpoint: 'http://127.0.0.1:4318' } })
  const needRestart = ['traces.endpoint', 'traces.ratio', 'traces.serviceName']
  t.strictSame(reload(written), { changed: [], needRestart })
})

t.test('a change to a development chain needs a restart', async (t) => {
  const { applied, reload } = running()
  const embedded = { nodes: { main: [nodeUrl] } }
  for (let time = 0; time < 2; time++)
    t.strictSame(reload(embedded), { changed: [], needRestart: ['nodes.test'] })
  t.strictSame(reload(written), { changed: [], needRestart: [] })
  t.strictSame(applied, [])
})

t.test('the nodes of a network that this process does not serve are ignored', async (t) => {
  const { applied, reload } = running({ ...written, networks: ['main'] })
  const others = { networks: ['main'], nodes: { test: [otherUrl], main: [nodeUrl] } }
  t.strictSame(reload(others), { changed: [], needRestart: [] })
  t.strictSame(reload({ ...others, nodes: { main: [otherUrl] } }), {
    changed: ['nodes.main'],
    needRestart: [],
  })
  t.strictSame(applied, [['main', [otherUrl]]])
  const both = { ...others, networks: ['test', 'main'] }
  t.strictSame(reload(both), { changed: ['nodes.main'], needRestart: ['networks'] }, 'until a restart')
})

t.test('settings that this version ignores are not reported', async (t) => {
  const settings = settingsOf(written)
  const { log } = running()
  const unused = () => t.fail('nothing is applied')
  const reload = createReload({ log, networks: {}, setOperators: unused, setLimits: unused }, settings)
  t.strictSame(reload({ ...settings, ignored: ['unknown setting "later"'] }), {
    changed: [],
    needRestart: [],
  })
})
