import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { type WebSocket, WebSocketServer } from 'ws'
import { loadMethods } from '../../../../src/cli/mock/mock-methods.js'
import { jsonRpcScenarios, loadScenarios, verifyReport } from '../../../../src/judge/index.js'
import { type JsonValue, parseContract } from '../../../../src/toolkit/contract/index.js'
import { createMock } from '../../../../src/toolkit/mock/index.js'
import { document } from '../../runtime/client/web-socket-server.js'
import { runSuite, scenarioFolder } from './run-suite.js'

const contract = {
  ...document,
  methods: document.methods.map((method) => ({ ...method, 'x-effect': 'read' })),
}

const parsedContract = parseContract(JSON.stringify(contract))

const call = (name: string, params: string, result: string, more = '') =>
  `scenario: ${name}.\nsteps: [{ call: ${name}, params: ${params}, expect: { result: ${result} }${more} }]\n`

const add = (more = '') => call('math.add', '[1, 2]', '{ $max: 8999999999999999 }', more)

const files = {
  'calls/add.yaml': add(),
  'calls/count.yaml': call('count', '{ to: 3 }', '{ $pattern: . }'),
  'calls/confirm.yaml': call('confirm', "['?']", 'true'),
  'http/verb.yaml': add(', verb: PUT'),
  'http/status.yaml': `scenario: Status.\nsteps: [{ call: math.add, params: [1, 2], expect: { status: 413 } }]\n`,
  'http/headers.yaml': add(', headers: { origin: https://a.example }'),
}

async function mockUrl(t: Test): Promise<string> {
  const options = { contract: parsedContract, methods: await loadMethods(parsedContract), seed: 'seed' }
  const running = await createMock({ ...options, onError: () => undefined }).listen({ port: 0 })
  t.teardown(() => running.close())
  return running.url
}

const verdicts = (report: Awaited<ReturnType<typeof runSuite>>) =>
  Object.fromEntries(
    report.cases.map(({ id, verdict, reason }) => [id, [verdict, reason].filter(Boolean).join(': ')]),
  )

t.test('the suite runs over WebSockets, and cases about HTTP are counted as not applicable', async (t) => {
  const url = (await mockUrl(t)).replace('http', 'ws')
  const report = await runSuite(t, url, files, {
    contract,
    scenarios: jsonRpcScenarios(parsedContract),
    concurrency: 4,
  })
  const found = verdicts(report)
  const onHttp = (part: string) => `not-applicable: it tests HTTP (${part}), and the URL is a WebSocket`
  t.match(found, {
    'calls/add': 'pass',
    'calls/count': 'pass',
    'calls/confirm': 'not-applicable: only the server calls confirm (x-direction)',
    'http/verb': onHttp('verb'),
    'http/status': onHttp('status'),
    'http/headers': onHttp('headers'),
  })
  const ofJsonRpc = report.cases.filter(({ id }) => id.startsWith('json-rpc/'))
  t.ok(ofJsonRpc.length > 15)
  t.same(
    ofJsonRpc.filter(({ verdict }) => verdict !== 'pass'),
    [],
    'notifications included',
  )
  t.match(report.counts, { fail: 0, 'not-applicable': 6 }, 'with two methods that only the server calls')
  const line = report.cases.find(({ id }) => id === 'calls/add')?.evidence[0]?.curl
  t.match(line, /^npx wscat -c "\$RPC_URL" -w 2 -x '\{"jsonrpc":"2\.0","id":\d+,"method":"math\.add"/)
})

t.test('over HTTP, subscriptions are not applicable', async (t) => {
  const found = verdicts(await runSuite(t, await mockUrl(t), files, { contract }))
  t.match(found, {
    'calls/add': 'pass',
    'calls/count': 'not-applicable: count needs a connection: use the URL of a WebSocket',
  })
})

/** Starts a WebSocket server with the given answers. Returns its URL. */
async function faulty(
  t: Test,
  answer: (socket: WebSocket, message: { readonly id?: unknown; readonly method?: unknown }) => void,
) {
  const http = createServer().listen(0, '127.0.0.1')
  await once(http, 'listening')
  const server = new WebSocketServer({ server: http })
  server.on('connection', (socket) =>
    socket.on('message', (data) => {
      const text = String(data)
      answer(socket, text.includes('baz]') ? {} : JSON.parse(text))
    }),
  )
  t.teardown(() => {
    for (const socket of server.clients) socket.terminate()
    http.close()
  })
  return `ws://127.0.0.1:${(http.address() as AddressInfo).port}/`
}

t.test('faults of a server are found over WebSockets', async (t) => {
  const add = { 'calls/add.yaml': files['calls/add.yaml'] }
  const found = async (url: string, timeoutMilliseconds = 300_000) => {
    const { cases } = await runSuite(t, url, add, { contract, timeoutMilliseconds })
    return cases[0]
  }
  const send = (message: object) => (socket: WebSocket) => socket.send(JSON.stringify(message))
  const right = { jsonrpc: '2.0', result: 3 }
  t.match(await found(await faulty(t, send({ ...right, id: 'other' }))), { verdict: 'fail', cause: /id/ })
  t.match(await found(await faulty(t, (socket, { id }) => send({ ...right, id, result: 'three' })(socket))), {
    verdict: 'fail',
    cause: /result/,
  })
  const notifying = await faulty(t, (socket, { id }) => {
    send({ jsonrpc: '2.0', method: 'note', params: { text: 'first' } })(socket)
    send({ ...right, id })(socket)
  })
  t.match(await found(notifying), { verdict: 'pass' }, 'calls of the server are no answers')
})

t.test('a limit of the service is waited for over WebSockets, as the contract states', async (t) => {
  const code = -32029
  const limitedBy = (seconds: number | undefined) => ({
    ...contract,
    components: {
      errors: {
        limited: { code, message: 'Limited', 'x-http-status': 429, 'x-retry-after-seconds': seconds },
      },
    },
    methods: contract.methods.map((method) => ({
      ...method,
      errors: [{ $ref: '#/components/errors/limited' }],
    })),
  })
  const run = async (contract: object, served: number) => {
    let calls = 0
    const url = await faulty(t, (socket, { id }) => {
      const isServed = ++calls % served === 0
      const answer = isServed ? { result: 3 } : { error: { code, message: 'Limited' } }
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
    })
    const report = await runSuite(t, url, { 'calls/add.yaml': files['calls/add.yaml'] }, { contract })
    return { ...report.cases[0], calls }
  }
  t.match(await run(limitedBy(0), 3), { verdict: 'pass', calls: 3 })
  t.match(await run(limitedBy(0), 9), { verdict: 'not-run', calls: 4, reason: /limit is spent/ })
  t.match(await run(limitedBy(undefined), 3), { verdict: 'not-run', calls: 1 })
  t.match(await run(limitedBy(61), 3), { verdict: 'not-run', calls: 1 })
  t.match(await run(contract, 3), { verdict: 'fail', calls: 1 }, 'an error that the contract does not have')
})

/** What a server of the subscription `count` does differently from a correct one. */
interface Counting {
  readonly item?: object
  readonly unsubscribed?: object
  readonly before?: object
  readonly after?: object
}

const counted = (params: unknown, more = {}) => ({ jsonrpc: '2.0', method: 'counted', params, ...more })

async function countingServer(t: Test, { before, item = counted(['0x1', 1]), ...rest }: Counting) {
  return faulty(t, (socket, { id, method }) => {
    const send = (message: object | undefined) => message && socket.send(JSON.stringify(message))
    if (method === 'count') {
      send(before)
      send({ jsonrpc: '2.0', id, result: '0x1' })
      send(item)
    } else if (method === 'stopCounting') {
      send({ jsonrpc: '2.0', id, result: true, ...rest.unsubscribed })
      send(rest.after)
    } else send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })
  })
}

const countOnly = { 'calls/count.yaml': files['calls/count.yaml'] }

const subscriptionFaults: readonly (readonly [string, Counting, string])[] = [
  ['an item of another type', { item: counted(['0x1', 'one']) }, '/messages/1/params/1'],
  ['a missing item', { item: counted(['0x1']) }, '/messages/1/params/1'],
  ['another id', { item: counted(['0x2', 1]) }, '/messages/1/params'],
  ['an item with a request id', { item: counted(['0x1', 1], { id: 7 }) }, '/messages/1/id'],
  ['an item without a version', { item: counted(['0x1', 1], { jsonrpc: '1.0' }) }, '/messages/1/jsonrpc'],
  ['an item before the id', { before: counted(['0x1', 1]) }, '/messages/0'],
  ['an item after the end', { after: counted(['0x1', 1]) }, '/messages/3'],
  ['a wrong answer to unsubscribe', { unsubscribed: { result: 'yes' } }, '/messages/2/result'],
  ['another id of unsubscribe', { unsubscribed: { id: 1 } }, '/messages/2/id'],
]

t.test('faults of subscriptions are found', async (t) => {
  const run = async (counting: Counting, timeoutMilliseconds = 300_000) =>
    (await runSuite(t, await countingServer(t, counting), countOnly, { contract, timeoutMilliseconds }))
      .cases[0]
  const right = await run({})
  t.match(right, { verdict: 'pass', billed: 3 })
  t.equal(right?.evidence[0]?.response?.messages?.length, 4, 'answer, item and two answers')
  for (const [name, counting, where] of subscriptionFaults) {
    const found = await run(counting)
    t.match(found, { verdict: 'fail', findings: [{ where }] }, name)
  }
  const end = await run({ item: { jsonrpc: '2.0', method: 'countEnded', params: ['0x1'] } })
  t.match(end, { verdict: 'pass' }, 'a subscription without items may end')
  const silent = await run({ item: { jsonrpc: '2.0', method: 'note', params: ['other'] } }, 2_000)
  t.match(silent, { verdict: 'inconclusive', reason: /sent no item/ })
})

t.test('stored subscriptions are judged again', async (t) => {
  const report = await runSuite(t, await countingServer(t, {}), countOnly, { contract })
  const loaded = await loadScenarios(await scenarioFolder(t, countOnly), { builtIn: false })
  const variables = new Map<string, JsonValue>()
  const judge = async (judged: object, stored = report) => {
    const parsed = parseContract(JSON.stringify(judged))
    const options = { contract: parsed, scenarios: loaded.scenarios, functions: {}, variables }
    return (await verifyReport(stored, options)).cases[0]
  }
  t.match(await judge(contract), { now: 'pass' })
  const stricter = JSON.parse(
    JSON.stringify(contract).replaceAll(
      '{"name":"item","required":true,"schema":{"type":"integer"}}',
      '{"name":"item","required":true,"schema":{"type":"integer","minimum":5}}',
    ),
  )
  t.match(await judge(stricter), { now: 'fail', reason: /messages\/1\/params\/1/ })
})

t.test('connections that break are replaced, and calls without an answer are counted', async (t) => {
  const right = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result: 3 })
  const two = { 'a/one.yaml': add(), 'b/two.yaml': add() }
  const closing = await faulty(t, (socket, { id }) => socket.send(right(id), () => socket.terminate()))
  t.match(
    await runSuite(t, closing, two, { contract }),
    { counts: { pass: 3 } },
    'with the statement about all answers',
  )
  let calls = 0
  const breaking = await faulty(t, (socket, { id }) => {
    calls += 1
    if (calls === 1) socket.send(right(id))
    else socket.terminate()
  })
  const { cases } = await runSuite(t, breaking, two, { contract })
  t.match(
    cases.map(({ verdict }) => verdict),
    ['pass', 'no-answer'],
  )
  t.match(cases[1]?.reason, /closed the connection before it answered/)
})

t.test('an answer to a notification is found', async (t) => {
  const url = await faulty(t, (socket, { id = null }) => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }))
  })
  const notifications = jsonRpcScenarios(parsedContract).filter(({ id }) => id === 'json-rpc/notification')
  t.equal(notifications.length, 1)
  const { counts } = await runSuite(
    t,
    url,
    { 'calls/confirm.yaml': files['calls/confirm.yaml'] },
    { contract, scenarios: notifications },
  )
  t.match(counts, { fail: 1, pass: 1 }, 'the answer to the next request is right')
})

t.test('without a WebSocket at the URL no run takes place', async (t) => {
  const silent = await faulty(t, () => undefined)
  const closing = await faulty(t, (socket) => socket.close(1011))
  const http = createServer((_, response) => response.end()).on('upgrade', (_, socket) => {
    socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const refusing = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/`
  const run = (url: string, timeoutMilliseconds = 300_000) =>
    runSuite(t, url, { 'calls/add.yaml': files['calls/add.yaml'] }, { contract, timeoutMilliseconds })
  await t.rejects(run(silent, 50), { name: 'Unreachable', message: /did not answer within 0\.05 s/ })
  await t.rejects(run(closing), { name: 'Unreachable', message: /closed the connection .* code 1011/ })
  await t.rejects(run(refusing), { name: 'AccessRefused', message: 'HTTP 401' })
  http.close()
  await once(http, 'close')
  await t.rejects(run(refusing), { name: 'Unreachable', message: /nothing listens on that port/ })
})
