import t from 'tap'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { methodOf } from '../codegen/fixtures.js'
import { diffOf, type Parts, told } from './told.js'

const about = (parts: JsonObject): Parts => ({ info: { title: 'T', version: '1.0.0', ...parts } })
const limit = (value: JsonValue, unit = 'requests', description = 'd') => ({
  'x-limits': { daily: { value, unit, section: '1', description } },
})
const rule = (parts: JsonObject) => ({
  'x-rules': [{ id: 'a.b', section: '1', level: 'mandatory', scope: 'service', text: 'T.', ...parts }],
})
const failure = (parts: JsonObject) => ({
  'x-failures': { slow: { httpStatus: 504, error: 'unavailable', message: 'm', charge: 1, ...parts } },
})
const network = (parts: JsonObject) => ({ 'x-networks': { test: { title: 'Test', number: '1', ...parts } } })
const envelope = (parts: JsonObject) => ({
  'x-envelope': {
    response: { type: 'object', properties: { id: { type: 'integer' } } },
    idRequired: true,
    idPattern: '^1$',
    stringIds: false,
    ...parts,
  },
})
const http = (parts: JsonObject) => ({
  'x-http': {
    paths: ['/{key}'],
    contentType: 'application/json',
    cors: { allowHeaders: ['accept'] },
    ...parts,
  },
})

/** The info object before and after, with all its changes. */
type Row = readonly [old: JsonObject, next: JsonObject, told: readonly string[]]

const rows: Readonly<Record<string, Row>> = {
  'a limit lowered': [
    limit(10),
    limit(9),
    ['C #/info/x-limits/daily lowered: 10 requests became 9 requests'],
  ],
  'a limit raised': [
    limit(10),
    limit(11),
    ['S #/info/x-limits/daily raised: 10 requests became 11 requests'],
  ],
  'a limit more': [{ 'x-limits': {} }, limit(10), ['C #/info/x-limits/daily limit added: 10 requests']],
  'a limit less': [limit(10), {}, ['S #/info/x-limits/daily limit removed: 10 requests']],
  'a limit in another unit': [
    limit(10),
    limit(9, 'bytes'),
    ['CS #/info/x-limits/daily 10 requests became 9 bytes: cannot tell which allows more'],
  ],
  'a limit that is not a number': [
    limit('^a$', 'pattern'),
    limit('^b$', 'pattern'),
    ['CS #/info/x-limits/daily "^a$" pattern became "^b$" pattern: cannot tell which allows more'],
  ],
  'the description of a limit changes': [
    limit(10),
    limit(10, 'requests', 'other'),
    ['- #/info/x-limits/daily description changed'],
  ],
  'a call that only nodes receive changes': [
    { 'x-node-calls': { network: { method: 'chain', params: [] } } },
    { 'x-node-calls': { network: { method: 'version', params: [] } } },
    ['- #/info/x-node-calls callers do not observe it'],
  ],
  'a limit that is a plain number': [
    { 'x-limits': { daily: 10 } },
    { 'x-limits': { daily: 9 } },
    ['C #/info/x-limits/daily lowered: 10 became 9'],
  ],
  'limits in an unknown format': [
    { 'x-limits': [1] },
    { 'x-limits': [2] },
    ['- #/info/x-limits "x-limits" changed: unknown extension, review its meaning'],
  ],

  'another call of the service itself': [
    { 'x-node-calls': { head: { method: 'a', params: [] } } },
    { 'x-node-calls': { head: { method: 'b', params: [] } } },
    ['- #/info/x-node-calls callers do not observe it'],
  ],

  'a mandatory rule is added': [{}, rule({}), ['S #/info/x-rules/a.b mandatory rule added: "T."']],
  'a mandatory rule is removed': [rule({}), {}, ['C #/info/x-rules/a.b mandatory rule removed: "T."']],
  'an advisory rule is added': [
    {},
    rule({ level: 'advisory' }),
    ['- #/info/x-rules/a.b advisory rule added: "T."'],
  ],
  'an advisory rule is removed': [
    rule({ level: 'advisory' }),
    {},
    ['- #/info/x-rules/a.b advisory rule removed: "T."'],
  ],
  'a rule becomes mandatory': [
    rule({ level: 'advisory' }),
    rule({}),
    ['S #/info/x-rules/a.b level "advisory" became "mandatory"'],
  ],
  'a rule becomes advisory': [
    rule({}),
    rule({ level: 'advisory' }),
    ['C #/info/x-rules/a.b level "mandatory" became "advisory"'],
  ],
  'the text of a rule changes': [
    rule({}),
    rule({ text: 'U.', section: '2' }),
    [
      '- #/info/x-rules/a.b section changed',
      '- #/info/x-rules/a.b text "T." became "U.": review whether its meaning changed',
    ],
  ],
  'the scope of a rule changes': [
    rule({}),
    rule({ scope: 'method' }),
    ['CS #/info/x-rules/a.b scope "service" became "method": cannot tell where it applies'],
  ],

  'the status of a failure changes': [
    failure({}),
    failure({ httpStatus: 503 }),
    ['CS #/info/x-failures/slow httpStatus 504 became 503'],
  ],
  'the error of a failure changes': [
    failure({}),
    failure({ error: 'internal' }),
    ['CS #/info/x-failures/slow error "unavailable" became "internal"'],
  ],
  'the message of a failure changes': [
    failure({}),
    failure({ message: 'n' }),
    ['- #/info/x-failures/slow message changed'],
  ],
  'a failure more': [{}, failure({}), ['- #/info/x-failures/slow failure added']],
  'a failure less': [failure({}), {}, ['S #/info/x-failures/slow failure removed']],
  'a network more': [{}, network({}), ['- #/info/x-networks/test network added']],
  'a network less': [network({}), {}, ['C #/info/x-networks/test network removed']],
  'the number of a network changes': [
    network({}),
    network({ number: '2', title: 'T' }),
    ['CS #/info/x-networks/test number "1" became "2"', '- #/info/x-networks/test title changed'],
  ],
  'the title of a network changes': [
    network({}),
    network({ title: 'T', nativeCurrency: { name: 'N' } }),
    ['- #/info/x-networks/test nativeCurrency and title changed'],
  ],
  'the chain id of a network changes': [
    network({ chainId: '0x1' }),
    network({ chainId: '0x2' }),
    ['CS #/info/x-networks/test chainId "0x1" became "0x2"'],
  ],
  'the key suffix of a network changes': [
    network({ keySuffix: 'T' }),
    network({ keySuffix: 'U' }),
    ['CS #/info/x-networks/test keySuffix "T" became "U"'],
  ],
  'responses may have more members': [
    envelope({}),
    envelope({ response: { type: 'object', properties: { id: { type: ['integer', 'string'] } } } }),
    ['C #/info/x-envelope/response/properties/id type integer became integer or string'],
  ],
  'a schema of an extension gets a dangling reference': [
    envelope({ response: { $ref: '#/nowhere' } }),
    envelope({ response: { $ref: '#/elsewhere' } }),
    ['CS #/info/x-envelope/response the reference target does not exist: cannot tell its effect'],
  ],
  'a schema of an extension had a dangling reference': [
    envelope({ response: { $ref: '#/nowhere' } }),
    envelope({ response: { type: 'object' } }),
    ['CS #/info/x-envelope/response the reference target does not exist: cannot tell its effect'],
  ],
  'a schema keeps a dangling reference': [
    envelope({ response: { $ref: '#/nowhere' } }),
    envelope({ response: { $ref: '#/nowhere', description: 'd' } }),
    ['- #/info/x-envelope/response description changed'],
  ],
  'ids become optional': [
    envelope({}),
    envelope({ idRequired: false }),
    ['S #/info/x-envelope/idRequired true became false'],
  ],
  'ids may be strings': [
    envelope({}),
    envelope({ stringIds: true }),
    ['S #/info/x-envelope/stringIds false became true'],
  ],
  'null counts as absent': [
    envelope({ nullIsAbsent: false }),
    envelope({ nullIsAbsent: true }),
    ['S #/info/x-envelope/nullIsAbsent false became true'],
  ],
  'the pattern of ids changes': [
    envelope({}),
    envelope({ idPattern: '^2$' }),
    ['CS #/info/x-envelope/idPattern "^1$" became "^2$": cannot tell which accepts more values'],
  ],
  'a path is added and another one removed': [
    http({}),
    http({ paths: ['/v2/{key}'] }),
    ['C #/info/x-http/paths lost the value "/{key}"', 'S #/info/x-http/paths gained the value "/v2/{key}"'],
  ],
  'another content type': [
    http({}),
    http({ contentType: 'text/plain' }),
    [
      'CS #/info/x-http/contentType "application/json" became "text/plain": cannot tell which accepts more values',
    ],
  ],
  'a CORS method is removed': [
    http({}),
    http({ cors: { allowHeaders: [] } }),
    ['C #/info/x-http/cors/allowHeaders lost the value "accept"'],
  ],
  'paths are reordered': [
    http({ paths: ['/a', '/b'] }),
    http({ paths: ['/b', '/a'] }),
    ['- #/info/x-http/paths order changed'],
  ],
  'a session opened in another way': [
    { 'x-session': { framing: 'newline' } },
    { 'x-session': { framing: 'content-length' } },
    ['CS #/info/x-session messages on connections are separated, or sessions opened, in another way'],
  ],
  'an unknown extension changes': [
    { 'x-mood': 1 },
    { 'x-mood': 2 },
    ['- #/info/x-mood "x-mood" changed: unknown extension, review its meaning'],
  ],
  'title and version': [
    {},
    { title: 'U', version: '2.0.0' },
    ['- #/info title changed', '- #/info/version version "1.0.0" became "2.0.0"'],
  ],
}

t.test('the info object is compared by the extensions that promise something', async (t) => {
  for (const [name, [old, next, wanted]] of Object.entries(rows)) {
    t.same(told(about(old), about(next)), wanted, name)
  }
})

t.test('a rule is reported with its methods', async (t) => {
  const ruled = (ids: readonly string[], info: JsonObject): Parts => ({
    ...about(info),
    methods: ['x', 'y'].map((name) => ({ ...methodOf([]), name, 'x-rules': ids })),
  })
  const [added, ...others] = diffOf(ruled([], {}), ruled(['a.b'], rule({})))
  t.same(others, [], 'once, not again for each method')
  t.match(added, { kind: 'rule-added', breaks: ['servers'], methods: ['x', 'y'] })
  t.same(told(ruled([], rule({})), ruled(['a.b'], rule({}))), [
    'S #/methods/x/x-rules rule "a.b" applies',
    'S #/methods/y/x-rules rule "a.b" applies',
  ])
  const advisory = rule({ level: 'advisory' })
  t.same(told(ruled(['a.b'], advisory), ruled([], advisory)), [
    '- #/methods/x/x-rules rule "a.b" no longer applies',
    '- #/methods/y/x-rules rule "a.b" no longer applies',
  ])
})

t.test('servers are compared as addresses of clients', async (t) => {
  const server = (parts: JsonObject): Parts => ({
    servers: [{ name: 's', url: 'https://${host}/', variables: { host: { default: 'h' } }, ...parts }],
  })
  const bare = (url: string): Parts => ({ servers: [{ url }] })
  t.same(told({}, server({})), ['- #/servers/s server added'])
  t.same(told(server({}), {}), ['C #/servers/s server removed'])
  t.same(told(bare('http://a'), bare('http://b')), [
    'C #/servers/http:~1~1a server removed',
    '- #/servers/http:~1~1b server added',
  ])
  t.same(told(server({}), server({ url: 'https://${host}/v2', summary: 'S' })), [
    'C #/servers/s URL "https://${host}/" became "https://${host}/v2"',
    '- #/servers/s summary changed',
  ])
  t.same(told(server({}), server({ variables: { host: { default: 'i' } } })), [
    'C #/servers/s URL variables changed: cannot tell whether clients still find the server',
  ])
})

t.test('other members are reported as compatible', async (t) => {
  t.same(told({}, { openrpc: '1.4.0', externalDocs: { url: 'http://d' } }), [
    '- # externalDocs and openrpc changed',
  ])
  t.same(
    told(
      { components: { tags: { a: { name: 'a' }, b: { name: 'b' } } } },
      { components: { tags: { a: { name: 'z' }, c: { name: 'c' } } } },
    ),
    ['- #/components/tags/a changed', '- #/components/tags/b removed', '- #/components/tags/c added'],
  )
})
