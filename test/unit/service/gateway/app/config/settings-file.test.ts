import t from 'tap'
import { tuningDefaults } from '../../../../../../src/service/gateway/app/config/tuning.js'
import { ConfigError, readSettings, type Settings } from '../../../../../../src/service/gateway/index.js'

/** Reads a settings file with an environment. The file's name is F. */
const read = (text: string, env: Record<string, string> = {}, options = {}): Settings =>
  readSettings(env, { ...options, file: { name: 'F', text } })

/** The problems of a file; empty for a valid file. */
function problems(text: string, env: Record<string, string> = {}, options = {}): readonly string[] {
  try {
    read(text, env, options)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

t.test('all settings of the file are read', async (t) => {
  const settings = read(
    `
host: 0.0.0.0
port: 9000
dataFolder: /var/lib/concordat
networks: [test, main]
databaseUrl: postgres://ada:\${PASSWORD}@db/concordat
secret: ${'s'.repeat(32)}
logLevel: debug
trustedProxies: [10.0.0.0/8, 192.0.2.1]
publicUrls: { test: 'https://test.example/', main: https://main.example, dashboard: 'https://dashboard.example' }
smtpUrl: smtps://ada:secret@mail.example
operators: [ada@example.net]
product: { name: Example RPC, accentColour: '#0f766e', terms: 'https://example.net/terms' }
limits: { requestsPerDay: 20, nodeCallsPerSecond: 100, nodeCallsAtOnce: 16, connections: 50 }
metrics: { host: 127.0.0.1, port: 9464 }
traces: { endpoint: 'http://otel:4318/v1/traces', serviceName: rpc, ratio: 0.1 }
nodes:
  test: embedded
  main:
    - https://node.example/v2/\${NODE_KEY}
    - url: http://127.0.0.1:8545
      name: home
      weight: 3
      timeoutMs: 5000
      headers: { Authorization: 'Bearer \${NODE_KEY}', x.y: 1 }
`,
    { PASSWORD: 'secret', NODE_KEY: 'abc' },
  )
  t.same(settings, {
    host: '0.0.0.0',
    port: 9000,
    limits: {
      requestsPerDay: 20,
      nodeCallsPerSecond: 100,
      nodeCallsAtOnce: 16,
      connections: 50,
      connectionsPerAddress: 1_300,
      newConnectionsPerAddress: 2_000,
    },
    dataDir: '/var/lib/concordat',
    ignored: [],
    secret: 's'.repeat(32),
    networks: ['test', 'main'],
    nodes: {
      test: [],
      main: [
        { url: 'https://node.example/v2/abc', name: 'main-1', weight: 1, headers: {}, timeoutMs: 20_000 },
        {
          url: 'http://127.0.0.1:8545',
          name: 'home',
          weight: 3,
          headers: { authorization: 'Bearer abc', 'x.y': '1' },
          timeoutMs: 5000,
        },
      ],
    },
    databaseUrl: 'postgres://ada:secret@db/concordat',
    metrics: { host: '127.0.0.1', port: 9464 },
    traces: { endpoint: 'http://otel:4318/v1/traces', serviceName: 'rpc', ratio: 0.1 },
    trustedProxies: ['10.0.0.0/8', '192.0.2.1'],
    publicUrls: {
      test: 'https://test.example',
      main: 'https://main.example',
      dashboard: 'https://dashboard.example',
    },
    smtpUrl: 'smtps://ada:secret@mail.example',
    operators: ['ada@example.net'],
    product: { name: 'Example RPC', accentColour: '#0f766e', terms: 'https://example.net/terms' },
    tuning: tuningDefaults,
    logLevel: 'debug',
  })
})

t.test('a variable that the file references may have the name of a setting', async (t) => {
  const env = { CONCORDAT_KEY_SECRET: 's'.repeat(32) }
  t.equal(read('secret: ${CONCORDAT_KEY_SECRET}', env).secret, env.CONCORDAT_KEY_SECRET)
  t.same(problems('port: 1', env), [
    'CONCORDAT_KEY_SECRET is not a setting of this version: did you mean CONCORDAT_SECRET?',
  ])
})

t.test('JSON files are accepted, an empty file sets nothing, and null means unset', async (t) => {
  t.equal(read('{"port": 9000, "metrics": {"port": 0}}').metrics.port, 0)
  t.same(read(''), read('host: null\nnodes: { test: null, main: null }'))
  t.same(read('# nothing'), readSettings({}, {}))
})

t.test('the command line overrides the environment, which overrides the file', async (t) => {
  const text = 'port: 1\nhost: 127.0.0.2\nnodes: { test: [http://a.example] }\ntrustedProxies: [10.0.0.0/8]'
  const env = { CONCORDAT_PORT: '2', CONCORDAT_NODES_TEST: 'http://b.example' }
  t.equal(read(text).port, 1)
  t.equal(read(text, env).port, 2)
  t.equal(read(text, env, { port: '3' }).port, 3)
  t.equal(read(text, env).host, '127.0.0.2')
  t.equal(read(text, env).nodes.test[0]?.url, 'http://b.example')
  t.same(read(text, { CONCORDAT_TRUSTED_PROXIES: '192.0.2.1' }).trustedProxies, ['192.0.2.1'])
})

for (const [what, text, problem] of [
  ['a port', 'host: ::1\nport: 65536', /^F:2:7 port must be a whole number from 0 to 65535, not "65536"$/],
  ['an unknown setting', 'hots: x', /^F:1:7 hots is not a setting/],
  ['an unknown member', 'metrics: { prot: 1 }', /^F:1:18 metrics.prot is not a setting/],
  [
    'an unknown member of a node',
    'nodes: { test: [{ url: http://a, wieght: 1 }] }',
    /nodes\.test\[0\]\.wieght is no/,
  ],
  ['a network', 'nodes: { tset: [http://a] }', /^F:1:16 nodes\.tset is not a setting: the contract has no/],
  ['a node without a URL', 'nodes: { test: [{ name: a }] }', /^F:1:17 nodes\.test\[0\] must have url$/],
  ['two nodes with the same name', 'nodes: { test: [http://a, { url: http://b, name: test-1 }] }', /test-1/],
  ['a weight', 'nodes: { test: [{ url: http://a, weight: 1.5 }] }', /weight must be a whole number/],
  ['a time', 'nodes: { test: [{ url: http://a, timeoutMs: 20001 }] }', /timeoutMs must be .* to 20000/],
  ['a header', 'nodes: { test: [{ url: http://a, headers: { a b: c } }] }', /not a valid header name/],
  [
    'a header value with a line break',
    'nodes: { test: [{ url: http://a, headers: { a: "b\\nc" } }] }',
    /one line/,
  ],
  ['an unset variable', 'host: ${NOWHERE}', /^F:1:7 host refers to NOWHERE, which is not set/],
  ['a list instead of a scalar', 'port: [1, 2]', /^F:1:7 port must be a whole number from 0 to 65535$/],
  ['a mapping instead of a scalar', 'host: { a: 1 }', /^F:1:7 host must be an IP address/],
  [
    'a string instead of a group',
    'metrics: 9464',
    /^F:1:10 metrics must be a mapping of settings, not "9464"$/,
  ],
  [
    'a number that is not numeric',
    'traces: { ratio: 1.5 }',
    /^F:1:18 traces\.ratio must be a number from 0 to 1/,
  ],
  ['a file that is not a mapping', '- host', /^F:1:1 must be a mapping/],
  ['a duplicate setting', 'port: 1\nport: 2', /^F:2:1 Map keys must be unique/],
  ['invalid YAML', 'host: "a', /^F:1:\d+ /],
  ['a circular alias', 'nodes: &n { test: *n }', /nested too deeply|Unresolved alias/],
  ['a proxy', 'trustedProxies: [10.0.0.0/33]', /^F:1:18 trustedProxies\[0\] must be an IP address/],
  ['connections', 'limits: { connections: 0 }', /limits\.connections must be a whole number from 1/],
] as const) {
  t.test(`${what} is one problem with its position`, async (t) => {
    const found = problems(text)
    t.match(found.join('\n'), problem)
    t.equal(found.length, 1, found.join('\n'))
  })
}

t.test('problems of file, environment and command line are reported together', async (t) => {
  const found = problems('host: "!"', { CONCORDAT_LOG_LEVEL: 'loud' }, { port: 'x' })
  t.equal(found.length, 3)
})

t.test('problems never contain values that may be secret', async (t) => {
  const text = [
    'secret: short-secret',
    'databaseUrl: "mysql://ada:hunter2@db"',
    'nodes: { test: ["ftp://node.example/key"], main: [{ url: http://a, name: "n key" }] }',
    'logLevel: ${FROM_OUTSIDE}',
  ].join('\n')
  const found = problems(text, { FROM_OUTSIDE: 'outside' })
  t.equal(found.length, 5)
  t.notMatch(found.join(), /short-secret|hunter2|node\.example|n key|"outside"/)
})

t.test('nodes are optional; processes that share a database require the shared secret', async (t) => {
  t.same(problems('', {}), [])
  const database = { DATABASE_URL: 'postgres://db/x' }
  t.match(problems('', database), [/^CONCORDAT_SECRET .* is required with DATABASE_URL/])
  t.same(problems('', { ...database, CONCORDAT_SECRET: 's'.repeat(32) }), [])
})
