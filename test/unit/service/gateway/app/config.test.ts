import { resolve } from 'node:path'
import t from 'tap'
import { extensions } from '../../../../../generated/contract.js'
import { tuningDefaults } from '../../../../../src/service/gateway/app/config/tuning.js'
import { ConfigError, readSettings } from '../../../../../src/service/gateway/index.js'

/** The problems of an environment; empty when valid. */
function problems(env: Record<string, string>, options = {}): readonly string[] {
  try {
    readSettings(env, options)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

t.test(
  'without settings: loopback, port 8080, ./.concordat, embedded chains, the contract’s limit',
  async (t) => {
    t.same(readSettings({}, {}), {
      host: '127.0.0.1',
      port: 8080,
      limits: {
        requestsPerDay: 25_000,
        nodeCallsPerSecond: 200,
        nodeCallsAtOnce: 32,
        connections: 10_000,
        connectionsPerAddress: 1_300,
        newConnectionsPerAddress: 2_000,
      },
      dataDir: resolve('.concordat'),
      networks: ['test', 'main'],
      nodes: { test: [], main: [] },
      metrics: { host: '127.0.0.1', port: undefined },
      traces: undefined,
      trustedProxies: [],
      publicUrls: { test: undefined, main: undefined, dashboard: undefined },
      operators: [],
      product: { accentColour: '#2456e6' },
      tuning: tuningDefaults,
      logLevel: 'info',
      ignored: [],
    })
  },
)

t.test('an empty variable counts as unset', async (t) => {
  const empty = {
    CONCORDAT_PORT: '',
    CONCORDAT_SECRET: '',
    CONCORDAT_NODES_TEST: '',
    CONCORDAT_SPELT_WRONG: '',
    DATABASE_URL: '',
  }
  t.same(readSettings(empty, {}), readSettings({}, {}))
})

t.test('options override the environment', async (t) => {
  const settings = readSettings({ CONCORDAT_PORT: '1', CONCORDAT_DATA: 'a' }, { port: '0', data: 'b' })
  t.equal(settings.port, 0)
  t.equal(settings.dataDir, resolve('b'))
})

t.test('all variables are read', async (t) => {
  const settings = readSettings(
    {
      CONCORDAT_HOST: '::1',
      CONCORDAT_LIMIT_REQUESTS_PER_DAY: '20',
      CONCORDAT_NODES_MAIN: 'http://127.0.0.1:1, https://node.example/v2/key',
      CONCORDAT_PUBLIC_URL_TEST: 'https://rpc.example.net/base//',
      CONCORDAT_PUBLIC_URL_DASHBOARD: 'https://RPC.example.net/',
      CONCORDAT_SMTP_URL: 'smtp://mail.example.net',
      CONCORDAT_OPERATORS: 'Ada@example.net, eve@example.net',
      CONCORDAT_LOG_LEVEL: 'silent',
      CONCORDAT_SECRET: 's'.repeat(32),
      CONCORDAT_METRICS_PORT: '9464',
      CONCORDAT_TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::/32,192.0.2.1',
      DATABASE_URL: 'postgres://ada:secret@127.0.0.1:5432/concordat',
    },
    {},
  )
  t.equal(settings.host, '::1')
  t.equal(settings.limits.requestsPerDay, 20)
  const shared = { weight: 1, headers: {}, timeoutMs: 20_000 }
  t.same(settings.nodes, {
    test: [],
    main: [
      { url: 'http://127.0.0.1:1', name: 'main-1', ...shared },
      { url: 'https://node.example/v2/key', name: 'main-2', ...shared },
    ],
  })
  t.equal(settings.publicUrls.test, 'https://rpc.example.net/base')
  t.equal(settings.publicUrls.dashboard, 'https://rpc.example.net')
  t.equal(settings.smtpUrl, 'smtp://mail.example.net')
  t.same(settings.operators, ['ada@example.net', 'eve@example.net'])
  t.equal(settings.logLevel, 'silent')
  t.equal(settings.secret, 's'.repeat(32))
  t.equal(settings.metrics.port, 9464)
  t.same(settings.trustedProxies, ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1'])
  t.equal(settings.databaseUrl, 'postgres://ada:secret@127.0.0.1:5432/concordat')
})

t.test('the node "embedded" selects a development chain', async (t) => {
  t.same(readSettings({ CONCORDAT_NODES_MAIN: 'embedded' }, {}).nodes.main, [])
})

for (const [name, value] of [
  ['CONCORDAT_PORT', '65536'],
  ['CONCORDAT_PORT', '-1'],
  ['CONCORDAT_PORT', '80x'],
  ['CONCORDAT_PORT', '8e3'],
  ['CONCORDAT_HOST', 'no host'],
  ['CONCORDAT_HOST', 'http://127.0.0.1'],
  ['CONCORDAT_DATA', ' '],
  ['CONCORDAT_LIMIT_REQUESTS_PER_DAY', '0'],
  ['CONCORDAT_LIMIT_REQUESTS_PER_DAY', '25001'],
  ['CONCORDAT_LIMIT_REQUESTS_PER_DAY', 'many'],
  ['CONCORDAT_SECRET', 's'.repeat(31)],
  ['CONCORDAT_NODES_TEST', 'ftp://127.0.0.1'],
  ['CONCORDAT_NODES_TEST', 'http://127.0.0.1:1,'],
  ['CONCORDAT_NODES_MAIN', 'localhost:8545'],
  ['CONCORDAT_PUBLIC_URL_MAIN', 'https://a.example/?q=1'],
  ['CONCORDAT_LOG_LEVEL', 'loud'],
  ['CONCORDAT_PROT', '8080'],
  ['CONCORDAT_SMTP_URL', 'https://127.0.0.1'],
  ['CONCORDAT_PUBLIC_URL_DASHBOARD', 'https://a.example/dashboard'],
  ['CONCORDAT_OPERATORS', 'ada@example.net, nobody'],
  ['DATABASE_URL', 'mysql://127.0.0.1/x'],
  ['DATABASE_URL', 'postgres:///x'],
  ['CONCORDAT_METRICS_PORT', '65536'],
  ['CONCORDAT_TRUSTED_PROXIES', '10.0.0.0/33'],
  ['CONCORDAT_TRUSTED_PROXIES', '10.0.0.0/8,'],
  ['CONCORDAT_TRUSTED_PROXIES', '10/8'],
  ['CONCORDAT_TRUSTED_PROXIES', '010.0.0.1/8'],
  ['CONCORDAT_TRUSTED_PROXIES', 'proxy.example'],
] as const) {
  t.test(`${name}=${value} is one problem that names the setting`, async (t) => {
    const found = problems({ [name]: value })
    t.equal(found.length, 1)
    t.match(found[0], new RegExp(`^${name} `))
  })
}

t.test('both limits of a number are valid', async (t) => {
  for (const port of ['0', '65535']) t.same(problems({ CONCORDAT_PORT: port }), [])
  for (const limit of ['1', '25000']) t.same(problems({ CONCORDAT_LIMIT_REQUESTS_PER_DAY: limit }), [])
})

t.test('all problems are reported together, and options are named as typed', async (t) => {
  const found = problems({ CONCORDAT_LOG_LEVEL: 'loud', CONCORDAT_HOST: '!' }, { port: 'http' })
  t.equal(found.length, 3)
  t.ok(
    found.some((problem) => problem.startsWith('--port must be a whole number from 0 to 65535, not "http"')),
  )
})

t.test('problems never contain a secret or a node’s address', async (t) => {
  const found = problems({
    CONCORDAT_SECRET: 'short-secret',
    CONCORDAT_NODES_TEST: 'https://node.example/v2/key,x',
    DATABASE_URL: 'https://user:password@node.example/',
  })
  t.equal(found.length, 3)
  t.notMatch(found.join(), /short-secret|node\.example|password@node/)
})

t.test('an unknown setting is refused with the most similar known name', async (t) => {
  const rows: readonly [string, string][] = [
    ['CONCORDAT_PROT', ': did you mean CONCORDAT_PORT?'],
    ['CONCORDAT_NODE_TEST', ': did you mean CONCORDAT_NODES_TEST?'],
    ['CONCORDAT_SOMETHING_ELSE_ENTIRELY', ''],
  ]
  for (const [name, hint] of rows)
    t.same(problems({ [name]: '1' }), [`${name} is not a setting of this version${hint}`])
})

t.test('an unknown setting is ignored if the settings state a newer version', async (t) => {
  const text = (version: string) =>
    `version: ${version}\nport: 8081\nnewer: 1\nmetrics: { port: 9464, newerOfGroup: [1] }\n`
  const env = { CONCORDAT_NEWER_VARIABLE: '1' }
  const of = (version: string) => ({ file: { name: 'f.yaml', text: text(version) }, version: '1.2.3' })
  for (const version of ['1.2.4', '1.3', '2']) {
    const { port, metrics, ignored } = readSettings(env, of(version))
    t.match({ port, metrics }, { port: 8081, metrics: { port: 9464 } }, version)
    const end = 'is not a setting of this version, and is ignored'
    t.same(ignored, [
      `CONCORDAT_NEWER_VARIABLE ${end}`,
      `f.yaml:3:8 newer ${end}`,
      `f.yaml:4:38 metrics.newerOfGroup ${end}`,
    ])
  }
  for (const version of ['1.2.3', '1.2', '1', '0.9.9'])
    t.equal(problems(env, of(version)).length, 3, `${version} is not newer`)
  const wrong = { file: { name: 'f.yaml', text: 'version: newest\nport: 1.5\n' }, version: '1.2.3' }
  t.match(problems({}, wrong), [/port must/, /version must be a version such as/], 'values are still checked')
  const mistyped = { file: { name: 'f.yaml', text: 'version: 2\nport: x\n' }, version: '1.2.3' }
  t.match(problems({}, mistyped), [/^f\.yaml:2:7 port must/])
})

t.test(
  'networks are selected by option, environment or file, and served in the contract’s order',
  async (t) => {
    const chosen = (env: Record<string, string>, options = {}) => readSettings(env, options).networks
    const file = { name: 'f.yaml', text: 'networks: [main]\n' }
    t.same(chosen({}, { file }), ['main'])
    t.same(chosen({ CONCORDAT_NETWORKS: 'main, test' }, { file }), ['test', 'main'])
    t.same(chosen({ CONCORDAT_NETWORKS: 'main' }, { file, network: 'test,test' }), ['test'])
    const reason = 'must be a network of the contract (test, main)'
    t.same(problems({ CONCORDAT_NETWORKS: 'dev' }), [`CONCORDAT_NETWORKS item 1 ${reason}, not "dev"`])
    t.same(problems({}, { network: 'test,' }), [`--network item 2 ${reason}, not ""`])
    const other = { name: 'f.yaml', text: 'networks: [test, dev]\n' }
    t.same(problems({}, { file: other }), [`f.yaml:1:18 networks[1] ${reason}, not "dev"`])
  },
)

t.test('an unknown network is refused with the names of the known ones', async (t) => {
  const found = problems(
    { CONCORDAT_NODES_DEV: 'http://127.0.0.1:1', CONCORDAT_PUBLIC_URL_MIAN: 'https://a.example' },
    {
      file: {
        name: 'f.yaml',
        text: 'nodes:\n  other: embedded\npublicUrls: { another: https://a.example }\n',
      },
    },
  )
  const names = Object.keys(extensions['x-networks']).join(', ')
  const reason = (network: string) =>
    `is not a setting: the contract has no network ${network}, only ${names}`
  t.same(found, [
    `CONCORDAT_NODES_DEV ${reason('dev')}`,
    `CONCORDAT_PUBLIC_URL_MIAN ${reason('mian')}`,
    `f.yaml:2:10 nodes.other ${reason('other')}`,
    `f.yaml:3:24 publicUrls.another ${reason('another')}`,
  ])
})

t.test(
  'trusted proxies that include every address are refused, and large networks are accepted',
  async (t) => {
    for (const all of ['0.0.0.0/0', '::/0', '10.0.0.0/8, 0.0.0.0/0', '1.2.3.4/00'])
      t.match(
        problems({ CONCORDAT_TRUSTED_PROXIES: all }),
        [/must be an IP address or a network .* not all addresses/],
        all,
      )
    t.same(problems({ CONCORDAT_TRUSTED_PROXIES: '10.0.0.0/8, 128.0.0.0/1, fc00::/7' }), [])
  },
)

t.test('metrics have a port of their own', async (t) => {
  t.match(problems({ CONCORDAT_PORT: '9000', CONCORDAT_METRICS_PORT: '9000' }), [/must differ .*9000/])
  t.same(problems({ CONCORDAT_PORT: '9000', CONCORDAT_METRICS_PORT: '9001' }), [])
  t.same(problems({ CONCORDAT_PORT: '0', CONCORDAT_METRICS_PORT: '0' }), [], 'free ports differ')
})

t.test('an empty list of nodes is refused', async (t) => {
  t.match(problems({ CONCORDAT_NODES_TEST: ' , ' }), [
    /^CONCORDAT_NODES_TEST item 1 must/,
    /^CONCORDAT_NODES_TEST item 2 must/,
  ])
  const file = { name: 'f.yaml', text: 'nodes:\n  test: []\n' }
  t.match(problems({}, { file }), [/^f\.yaml:2:9 nodes\.test must list one or more, or be embedded$/])
})

for (const name of ['CONCORDAT_SECRET_PREVIOUS', 'CONCORDAT_SECRET_NEXT'])
  t.test(`${name} requires a current secret, and is never shown`, async (t) => {
    const other = 'p'.repeat(32)
    t.match(problems({ [name]: other }), [/requires CONCORDAT_SECRET/])
    t.same(problems({ CONCORDAT_SECRET: 's'.repeat(32), [name]: other }), [])
    const [short] = problems({ CONCORDAT_SECRET: 's'.repeat(32), [name]: 'hush' })
    t.match(short, new RegExp(`^${name} must`))
    t.notMatch(short, 'hush')
  })
