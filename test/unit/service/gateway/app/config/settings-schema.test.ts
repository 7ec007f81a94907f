import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { limits } from '../../../../../../generated/contract.js'
import type { SettingSchema } from '../../../../../../src/service/gateway/app/config/setting-schema.js'
import { allSettings } from '../../../../../../src/service/gateway/app/config/setting-tree.js'
import { settingsArtifacts } from '../../../../../../src/service/gateway/app/config/settings-artifacts.js'
import { settingsSchema } from '../../../../../../src/service/gateway/app/config/settings-schema.js'
import { tuningDefaults } from '../../../../../../src/service/gateway/app/config/tuning.js'
import {
  ConfigError,
  networkNames,
  readSettings,
  reloadableHelp,
  variablesHelp,
} from '../../../../../../src/service/gateway/index.js'

const root = new URL('../../../../../../', import.meta.url)
const secret = 's'.repeat(32)

/** The problems of an environment with a file that sets one setting; empty when valid. */
function problems(env: Record<string, string>, file?: object): readonly string[] {
  try {
    readSettings(env, file === undefined ? {} : { file: { name: 'F', text: JSON.stringify(file) } })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

/** A file with a value at a path. */
const fileWith = (path: readonly string[], value: unknown): object =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object

/** A node with its members. */
const { properties: ofNode } = settingsSchema.properties.nodes.additionalProperties.items
const nodeNumbers = (Object.entries(ofNode) as [string, SettingSchema][]).filter(
  ([, { type }]) => type === 'integer',
)

/** The bounds of a number. */
const boundsOf = ({ minimum = Number.NaN, maximum = Number.NaN }: SettingSchema) => ({ minimum, maximum })

const isNumber = ({ schema: { type } }: (typeof allSettings)[number]) =>
  type === 'integer' || type === 'number'

for (const [path, text] of Object.entries(settingsArtifacts()))
  t.test(`${path} is current (npm run generate)`, async (t) => {
    t.equal(await readFile(new URL(path, root), 'utf8'), text)
  })

t.test('the schema is valid JSON Schema 2020-12', async (t) => {
  t.ok(new Ajv2020({ strict: false, validateFormats: false }).validateSchema(settingsSchema))
})

t.test('every setting has a description and an example, and every number has a unit', async (t) => {
  t.ok(allSettings.length > 30)
  for (const { path, schema } of allSettings) {
    const name = path.join('.')
    t.match(schema.description, /^[A-Z`].*\.$/, name)
    t.ok(schema.examples?.length, `${name}: example`)
    if (schema.type === 'integer' || schema.type === 'number') t.match(schema['x-unit'], /^[A-Za-z ]+$/, name)
  }
})

t.test('every example is valid in the file and in the environment', async (t) => {
  for (const { path, variable, schema } of allSettings)
    for (const example of schema.examples ?? []) {
      const beside = { CONCORDAT_SECRET: secret, CONCORDAT_PUBLIC_URL_DASHBOARD: 'https://a.example' }
      t.same(problems(beside, fileWith(path, example)), [], `${path.join('.')} in a file`)
      t.same(problems({ ...beside, [variable]: `${example}` }), [], variable)
    }
})

t.test('both limits of every number are valid, and values beyond them are one problem', async (t) => {
  for (const { path, variable, schema } of allSettings.filter(isNumber)) {
    const { minimum, maximum } = boundsOf(schema)
    for (const good of [minimum, maximum]) {
      t.same(problems({ [variable]: `${good}` }), [], `${variable}=${good}`)
      t.same(problems({}, fileWith(path, good)), [], `${path.join('.')}: ${good}`)
    }
    for (const bad of [minimum - 1, maximum + 1, `${maximum}x`]) {
      const [ofVariable, ...more] = problems({ [variable]: `${bad}` })
      t.match(
        ofVariable,
        new RegExp(`^${variable} must be a .*number from ${minimum} to ${maximum}, not "${bad}"$`),
      )
      const [ofFile, ...others] = problems({}, fileWith(path, bad))
      t.match(ofFile, new RegExp(`^F:1:\\d+ ${path.join('\\.')} must be a .*number from`))
      t.same([...more, ...others], [])
    }
  }
})

t.test(
  'both limits of every number of a node are valid, and values beyond them are one problem',
  async (t) => {
    t.equal(nodeNumbers.length, 2)
    const nodes = (name: string, value: number) => ({
      nodes: { test: [{ url: 'http://127.0.0.1:1', [name]: value }] },
    })
    for (const [name, schema] of nodeNumbers) {
      const { minimum, maximum } = boundsOf(schema)
      for (const good of [minimum, maximum]) t.same(problems({}, nodes(name, good)), [])
      for (const bad of [minimum - 1, maximum + 1, 1.5])
        t.match(problems({}, nodes(name, bad)), [
          new RegExp(`nodes\\.test\\[0\\]\\.${name} must be a whole number`),
        ])
    }
  },
)

t.test('limits and defaults of the contract come from openrpc.json', async (t) => {
  const { requestsPerDay, nodeCallsAtOnce } = settingsSchema.properties.limits.properties
  t.equal(requestsPerDay.maximum, limits.requestsPerUserPerDay)
  t.equal(nodeCallsAtOnce.default, limits.nodeCallsAtOncePerUser)
  t.equal(ofNode.timeoutMs.maximum, limits.nodeTimeoutSeconds * 1_000)
})

t.test(
  'every tuning is set by the file or by its variable, which wins; other tunings keep their defaults',
  async (t) => {
    const ofTuning = allSettings.filter(({ path: [group] }) => group === 'tuning')
    t.same(
      ofTuning.map(({ path }) => path[1]),
      Object.keys(tuningDefaults),
    )
    for (const { path, variable, schema } of ofTuning.filter(isNumber)) {
      const name = String(path[1])
      const { minimum, maximum } = boundsOf(schema)
      const file = { name: 'F', text: JSON.stringify(fileWith(path, minimum)) }
      t.same(readSettings({}, { file }).tuning, { ...tuningDefaults, [name]: minimum })
      t.same(readSettings({ [variable]: `${maximum}` }, { file }).tuning, {
        ...tuningDefaults,
        [name]: maximum,
      })
      t.same(
        readSettings({ [variable]: '' }, { file }).tuning,
        { ...tuningDefaults, [name]: minimum },
        'empty',
      )
    }
    const ofEnvironment = (text: string) => readSettings({ CONCORDAT_TUNING_HTTP_PARSER: text }, {}).tuning
    t.equal(ofEnvironment('').httpParser, 'fast-lane')
    t.equal(ofEnvironment('node').httpParser, 'node')
    t.same(problems({ CONCORDAT_TUNING_HTTP_PARSER: 'on' }), [
      'CONCORDAT_TUNING_HTTP_PARSER must be one of fast-lane, node, not "on"',
    ])
  },
)

t.test('environment names derive from file names, and earlier names stay valid', async (t) => {
  const named = Object.fromEntries(allSettings.map(({ path, variable }) => [path.join('.'), variable]))
  t.match(named, {
    host: 'CONCORDAT_HOST',
    port: 'CONCORDAT_PORT',
    dataFolder: 'CONCORDAT_DATA',
    databaseUrl: 'DATABASE_URL',
    secret: 'CONCORDAT_SECRET',
    secretPrevious: 'CONCORDAT_SECRET_PREVIOUS',
    'publicUrls.dashboard': 'CONCORDAT_PUBLIC_URL_DASHBOARD',
    smtpUrl: 'CONCORDAT_SMTP_URL',
    operators: 'CONCORDAT_OPERATORS',
    'limits.requestsPerDay': 'CONCORDAT_LIMIT_REQUESTS_PER_DAY',
    'limits.nodeCallsPerSecond': 'CONCORDAT_LIMIT_NODE_CALLS_PER_SECOND',
    'limits.nodeCallsAtOnce': 'CONCORDAT_LIMIT_NODE_CALLS_AT_ONCE',
    'limits.connections': 'CONCORDAT_LIMIT_CONNECTIONS',
    trustedProxies: 'CONCORDAT_TRUSTED_PROXIES',
    'metrics.host': 'CONCORDAT_METRICS_HOST',
    'metrics.port': 'CONCORDAT_METRICS_PORT',
    'traces.endpoint': 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'traces.serviceName': 'OTEL_SERVICE_NAME',
    'traces.ratio': 'OTEL_TRACES_SAMPLER_ARG',
    'tuning.nodeLagBlocks': 'CONCORDAT_TUNING_NODE_LAG_BLOCKS',
    'tuning.nodeStaleSeconds': 'CONCORDAT_TUNING_NODE_STALE_SECONDS',
    logLevel: 'CONCORDAT_LOG_LEVEL',
  })
  for (const network of networkNames) {
    t.equal(named[`nodes.${network}`], `CONCORDAT_NODES_${network.toUpperCase()}`)
    t.equal(named[`publicUrls.${network}`], `CONCORDAT_PUBLIC_URL_${network.toUpperCase()}`)
  }
  t.equal(new Set(Object.values(named)).size, allSettings.length, 'no duplicates')
})

t.test('problems never contain secrets or values of unknown settings', async (t) => {
  const hidden = 'hunter2 '
  for (const { path, variable, schema } of allSettings.filter(({ path: [name = ''] }) =>
    ['secret', 'secretNext', 'secretPrevious', 'databaseUrl', 'smtpUrl', 'nodes'].includes(name),
  )) {
    const found = [...problems({ [variable]: hidden }), ...problems({}, fileWith(path, hidden))]
    t.ok(found.length >= 2, `${path.join('.')}: ${schema.description}`)
    t.notMatch(found.join('\n'), 'hunter2')
  }
  t.notMatch(
    problems({ CONCORDAT_SECRETS: hidden }, { secrett: hidden, limits: { secret: hidden } }).join(),
    'hunter2',
  )
})

t.test('names of Object.prototype are unknown settings', async (t) => {
  t.match(
    problems({}, JSON.parse('{"__proto__": {"port": 1}, "constructor": 1, "limits": {"toString": 1}}')),
    [/__proto__ is not a setting/, /constructor is not a setting/, /limits\.toString is not a setting/],
  )
})

t.test('the help names the settings that change without a restart', async (t) => {
  t.equal(
    reloadableHelp(),
    'nodes, operators, limits and logLevel change immediately, the others at a restart',
  )
})

t.test('the help lists each variable with its description and default, except those of tuning', async (t) => {
  const lines = variablesHelp().split('\n')
  const listed = allSettings.filter(({ path: [group] }) => group !== 'tuning')
  t.same(
    lines.map((line) => line.trim().split(' ')[0]),
    listed.map(({ variable }) => variable),
  )
  t.match(lines[1], /^ {2}CONCORDAT_PORT +Port to listen on, 0 for a free port \(default 8080\)$/)
  const operators = lines.find((line) => line.includes('CONCORDAT_OPERATORS')) ?? ''
  t.notMatch(operators, 'default', 'an empty list is not shown')
})
