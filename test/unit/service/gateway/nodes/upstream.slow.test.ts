import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { JsonValue } from '../../../../../src/runtime/rpc/index.js'
import { tuningDefaults } from '../../../../../src/service/gateway/app/config/tuning.js'
import { createForwarder } from '../../../../../src/service/gateway/methods/index.js'
import type { NodeAnswer, NodeCallOptions } from '../../../../../src/service/gateway/nodes/index.js'
import { createUpstream, poolSettings } from '../../../../../src/service/gateway/nodes/index.js'
import { logText } from '../../../../support/log-node.js'
import { logsOf } from '../../../../support/logs.js'
import { callersOf } from '../../../../support/node-callers.js'
import { until } from '../../../../support/until.js'

/** The requests that each node receives before it is used. */
const chainId = '0x1f'
const checks: Readonly<Record<string, JsonValue>> = {
  eth_chainId: chainId,
  eth_syncing: false,
  eth_blockNumber: '0x64',
  eth_getBlockByNumber: { number: '0x64', hash: `0x${'64'.repeat(32)}` },
}

/** Checks of a single node ask for no block: its head is never stale. */
const tuning = { ...tuningDefaults, nodeStaleSeconds: 0 }

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly JsonValue[]
  readonly request: IncomingMessage
}

/**
 * A node with scripted answers, including status and envelope. Only its checks are answered here, unless the test does
 * that.
 */
async function node(answer: (call: Call, response: ServerResponse) => void, isChecked = false) {
  const calls: Call[] = []
  const server: Server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const call = { ...JSON.parse(text), request }
    const check = isChecked ? undefined : checks[call.method]
    if (check !== undefined) {
      send(response, 200, { jsonrpc: '2.0', id: call.id, result: check })
      return
    }
    calls.push(call)
    answer(call, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { url: `http://127.0.0.1:${port}`, calls, close }
}

const nodes = (...urls: readonly string[]) =>
  urls.map((url, at) => ({ name: `test-${at + 1}`, url, weight: 1, headers: {}, timeoutMs: 60_000 }))

const send = (response: ServerResponse, status: number, body: JsonValue) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const hash = `0x${'64'.repeat(32)}`
const unknown = `0x${'99'.repeat(32)}`
const address = `0x${'aa'.repeat(20)}`

/**
 * A Rootstock node with the blocks up to 100: HTTP 400 with JSON-RPC bodies, and errors where the contract has null.
 */
function rootstockNode({ id, method, params }: Call, response: ServerResponse) {
  const ok = (result: JsonValue) => send(response, 200, { jsonrpc: '2.0', id, result })
  const fail = (code: number, message: string, data?: string) =>
    send(response, [-32602, -32600].includes(code) ? 400 : 200, {
      jsonrpc: '2.0',
      id,
      error: { code, message, ...(data === undefined ? {} : { data }) },
    })
  const block = { number: '0x64', hash, transactions: [], uncles: [], gasLimit: '0x67c280' }
  const at = String(params.at(-1))
  const missing = at === '0xffffff'
  switch (method) {
    case 'eth_chainId':
      return ok(chainId)
    case 'eth_blockNumber':
      return ok('0x64')
    case 'eth_getBlockByNumber':
      return ok(params[0] === '0xffffff' ? null : block)
    case 'eth_getBlockByHash':
      return ok(params[0] === hash ? block : null)
    case 'eth_getBlockTransactionCountByNumber':
    case 'eth_getUncleCountByBlockNumber':
      return fail(-32600, `Block ${at} not found`)
    case 'eth_getUncleCountByBlockHash':
      return fail(-32600, `Block with hash ${at.slice(2)} not found`)
    case 'eth_getBalance':
      if (at === '[object Object]') return fail(-32602, 'Invalid block identifier')
      return missing ? fail(-32600, `Block ${at} not found`) : ok('0x05')
    case 'eth_getCode':
      return ok(null)
    case 'eth_call':
      if (missing) return fail(-32602, 'Invalid block number 16777215')
      return fail(-32015, 'VM Exception while processing transaction: revert no', '0x')
    case 'eth_estimateGas':
      return missing ? fail(-32602, 'Invalid block number 16777215') : fail(-32010, 'insufficient funds')
    case 'eth_getLogs':
      return ok([])
    case 'eth_protocolVersion':
      return ok('0x3e')
    case 'eth_sendRawTransaction':
      return fail(-32010, 'transaction nonce too low')
    case 'eth_getTransactionReceipt':
      return send(response, 200, { error: { code: -32011, message: 'Execution has got timeout out.' } })
    default:
      return fail(-32601, 'method not found')
  }
}

t.test("a Rootstock node's answers are converted to the contract's form", async (t) => {
  const rootstock = await node(rootstockNode, true)
  const upstream = createUpstream({ nodes: nodes(rootstock.url), timeoutMs: 60_000, chainId, tuning })
  t.teardown(() => upstream.close().then(rootstock.close))
  const forward = createForwarder(upstream.call)
  t.equal(await upstream.ready(), 'ok')
  t.equal(await forward('eth_protocolVersion', []), '0x3e')
  for (const [method, selector] of [
    ['eth_getBlockTransactionCountByNumber', '0xffffff'],
    ['eth_getUncleCountByBlockNumber', '0xffffff'],
    ['eth_getUncleCountByBlockHash', unknown],
  ] as const) {
    t.equal(await forward(method, [selector]), null, method)
  }
  t.equal(await forward('eth_getBalance', [address, hash]), '0x5')
  t.equal(await forward('eth_getCode', [address, '0x64']), '0x')
  t.strictSame(await logsOf(upstream.call, { blockHash: unknown }), [])
  for (const [method, ...params] of [
    ['eth_getBalance', address, '0xffffff'],
    ['eth_getBalance', address, unknown],
    ['eth_getCode', address, '0xffffff'],
    ['eth_call', { to: address }, '0xffffff'],
    ['eth_estimateGas', { to: address }, '0xffffff'],
  ] as const) {
    await t.rejects(forward(method, params), { code: -32001, httpStatus: 200 }, method)
  }
  await t.rejects(forward('eth_call', [{ to: address }, 'latest']), {
    code: 3,
    message: 'execution reverted: no',
    data: '0x',
  })
  t.equal(await forward('eth_estimateGas', [{ to: address, from: address }, 'latest']), '0x67c280')
  const raw = `0xc9${'80'.repeat(6)}1b0101`
  await t.rejects(forward('eth_sendRawTransaction', [raw]), {
    code: -32003,
    message: 'transaction nonce too low',
  })
  await t.rejects(forward('eth_getTransactionReceipt', [hash]), { code: -32002, httpStatus: 504 })
  await t.rejects(forward('web3_clientVersion', []), { code: -32603, httpStatus: 200 })
})

t.test('a node that sends no valid answer', async (t) => {
  type Case = readonly [why: string, (call: Call, response: ServerResponse) => void, problem: object]
  const cases: readonly Case[] = [
    ['no JSON', (_, response) => response.end('<html>'), { code: -32603, httpStatus: 502 }],
    [
      'another id',
      ({ id }, response) => send(response, 200, { id: id + 1, result: '0x1' }),
      { httpStatus: 502 },
    ],
    [
      'a result of another kind',
      ({ id }, response) => send(response, 200, { id, result: {} }),
      { httpStatus: 502 },
    ],
    ['HTTP 500', ({ id }, response) => send(response, 500, { id, result: '0x1' }), { httpStatus: 502 }],
    ['HTTP 404 with a page', (_, response) => response.writeHead(404).end('no'), { httpStatus: 502 }],
    ...[401, 402, 403, 407, 408, 429, 503].map(
      (status): Case => [
        `HTTP ${status}`,
        ({ id }, response) => send(response, status, { id, result: '0x1' }),
        { code: -32002, httpStatus: 503 },
      ],
    ),
    ['HTTP 401 with a page', (_, response) => response.writeHead(401).end('no'), { httpStatus: 503 }],
    ['a cut connection', (_, response) => response.destroy(), { code: -32002, httpStatus: 503 }],
    [
      'half an answer',
      (_, response) => response.writeHead(200, { 'content-length': 99 }).write('{', () => response.destroy()),
      { httpStatus: 503 },
    ],
    ['silence', () => {}, { code: -32002, httpStatus: 504 }],
    ['half an answer, then silence', (_, response) => response.write('{'), { code: -32002, httpStatus: 504 }],
  ]
  for (const [why, answer, problem] of cases) {
    const faulty = await node(answer)
    const timeoutMs = why.includes('silence') ? 1_000 : 60_000
    const settings = { checkAgainMs: 0, checkEveryMs: 20, retryMs: 20 }
    const upstream = createUpstream({ nodes: nodes(faulty.url), timeoutMs, chainId, settings, tuning })
    const rejection = await upstream.call('eth_gasPrice', []).then(
      () => undefined,
      (error: Error) => error,
    )
    t.match(rejection, problem, why)
    t.notMatch(rejection?.message, faulty.url, 'its address is not shown')
    await faulty.close()
    await until(async () => (await upstream.ready()) === 'no node')
    await upstream.close()
  }
  const nobody = createUpstream({ nodes: nodes('http://127.0.0.1:1'), timeoutMs: 30_000, chainId, tuning })
  await t.rejects(nobody.call('eth_gasPrice', []), { code: -32002, httpStatus: 503, retryAfterSeconds: 2 })
  await nobody.close()
})

t.test(
  'a failed call goes to the next node, and after a broken connection once more to the last one',
  async (t) => {
    const faulty = await node((_, response) => response.destroy())
    const healthy = await node(({ id }, response) => send(response, 200, { id, result: '0x7' }))
    const urls = ['http://127.0.0.1:1', faulty.url, healthy.url]
    const upstream = createUpstream({ nodes: nodes(...urls), timeoutMs: 30_000, chainId, tuning })
    t.strictSame(await upstream.call('eth_gasPrice', []), { result: '0x7' })
    await upstream.close()

    const alone = createUpstream({ nodes: nodes(faulty.url), timeoutMs: 30_000, chainId, tuning })
    const before = faulty.calls.length
    await t.rejects(alone.call('eth_gasPrice', []), { code: -32002, httpStatus: 503 })
    t.equal(faulty.calls.length, before + 2)
    await alone.close()
    await faulty.close()
    await healthy.close()
  },
)

t.test(
  'a lone node is asked again once after an unusable answer, unless the call is a transaction',
  async (t) => {
    const rows: readonly [
      why: string,
      first: (call: Call, response: ServerResponse) => void,
      times: number,
    ][] = [
      ['no JSON', (_, response) => response.end('<html>'), 2],
      ['another id', ({ id }, response) => send(response, 200, { id: id + 1, result: '0x1' }), 2],
      ['a result of another kind', ({ id }, response) => send(response, 200, { id, result: {} }), 2],
      ['HTTP 500', (_, response) => response.writeHead(500).end('oops'), 2],
      ['HTTP 502', (_, response) => response.writeHead(502).end('no node'), 2],
      ['HTTP 503', (_, response) => response.writeHead(503).end(), 1],
    ]
    for (const [why, first, times] of rows) {
      for (const once of [false, true]) {
        let asked = 0
        const lone = await node((call, response) => {
          asked++
          if (asked === 1) first(call, response)
          else send(response, 200, { id: call.id, result: '0x7' })
        })
        const upstream = createUpstream({ nodes: nodes(lone.url), timeoutMs: 30_000, chainId, tuning })
        t.teardown(async () => {
          await upstream.close()
          await lone.close()
        })
        const outcome = upstream.call('eth_gasPrice', [], { once })
        if (times === 2 && !once) t.strictSame(await outcome, { result: '0x7' }, why)
        else await t.rejects(outcome, { name: 'RpcError' }, why)
        t.equal(asked, once ? 1 : times, why)
      }
    }
  },
)

t.test(
  'a transaction is sent to the first node, then with the same bytes to the next; the error says so',
  async (t) => {
    const sent = async (first: (call: Call, response: ServerResponse) => void) => {
      const a = await node(first)
      const b = await node(({ id }, response) =>
        send(response, 200, { id, error: { code: -32000, message: 'already known' } }),
      )
      const upstream = createUpstream({ nodes: nodes(a.url, b.url), timeoutMs: 30_000, chainId, tuning })
      const answers: NodeAnswer[] = []
      for (let time = 0; time < 3; time++) {
        answers.push(await upstream.call('eth_sendRawTransaction', ['0xAb'], { once: true }))
      }
      await upstream.close()
      await a.close()
      await b.close()
      return { answers, a: a.calls.map(({ params }) => params), b: b.calls.map(({ params }) => params) }
    }
    const error = { code: -32000, message: 'already known' }
    t.strictSame(await sent((_, response) => response.destroy()), {
      answers: Array.from({ length: 3 }, () => ({ error, isRepeated: true })),
      a: [['0xAb'], ['0xAb'], ['0xAb']],
      b: [['0xAb'], ['0xAb'], ['0xAb']],
    })
    t.strictSame(await sent(({ id }, response) => send(response, 200, { id, error })), {
      answers: Array.from({ length: 3 }, () => ({ error })),
      a: [['0xAb'], ['0xAb'], ['0xAb']],
      b: [],
    })
  },
)

t.test("a node's error is the answer, except for errors that another node may not have", async (t) => {
  const says = (code: number) => (call: Call, response: ServerResponse) =>
    send(response, 200, { id: call.id, error: { code, message: 'no' } })
  const rows = [
    { codes: [3], method: 'eth_call', asked: 1, gets: { error: { code: 3, message: 'no' } } },
    { codes: [-32602], method: 'eth_call', asked: 2, gets: { result: '0x07' } },
    { codes: [-32602], method: 'eth_gasPrice', asked: 2, gets: { result: '0x7' } },
    { codes: [-32602], method: 'eth_getLogs', asked: 1, gets: { error: { code: -32602, message: 'no' } } },
    {
      codes: [-32602],
      method: 'eth_sendRawTransaction',
      asked: 1,
      gets: { error: { code: -32602, message: 'no' } },
    },
    { codes: [-32601], method: 'eth_gasPrice', asked: 2, gets: { result: '0x7' } },
    { codes: [-32005], method: 'eth_gasPrice', asked: 2, gets: { result: '0x7' } },
    { codes: [-32005], method: 'eth_getLogs', asked: 1, gets: { error: { code: -32005, message: 'no' } } },
    {
      codes: [-32601, -32601],
      method: 'eth_gasPrice',
      asked: 2,
      gets: { error: { code: -32601, message: 'no' }, isRepeated: true },
    },
  ]
  for (const { codes, method, asked, gets } of rows) {
    const [first = 0, second] = codes
    const strict = await node(says(first))
    const other = await node(
      second === undefined
        ? ({ id }, response) => send(response, 200, { id, result: method === 'eth_call' ? '0x07' : '0x7' })
        : says(second),
    )
    const settings = [...nodes(strict.url), ...nodes(other.url).map((node) => ({ ...node, weight: 0 }))]
    const upstream = createUpstream({ nodes: settings, timeoutMs: 30_000, chainId, tuning })
    const options = {
      once: method === 'eth_sendRawTransaction',
      // The search for logs knows the limit errors of nodes.
      ...(method === 'eth_getLogs' ? { mayDoBetter: () => false } : {}),
    }
    t.strictSame(await upstream.call(method, [], options), gets, `${method} ${codes}`)
    t.equal(strict.calls.length + other.calls.length, asked, `${method} ${codes}`)
    await upstream.close()
    await strict.close()
    await other.close()
  }
})

t.test('a disconnect cancels the call, and no other node is asked', async (t) => {
  const caller = new AbortController()
  const server = await node(() => caller.abort(new DOMException('left', 'AbortError')))
  const upstream = createUpstream({
    nodes: nodes(server.url, server.url),
    timeoutMs: 60_000,
    chainId,
    tuning,
  })
  await t.rejects(upstream.call('eth_gasPrice', [], { signal: caller.signal }), { name: 'AbortError' })
  t.equal(server.calls.length, 1)
  await t.rejects(upstream.call('eth_gasPrice', [], { signal: AbortSignal.abort() }), {
    name: 'AbortError',
  })
  await upstream.close()
  await server.close()
})

/** The answer that a node sends after the caller has disconnected: its first part, and all of it. */
const lateAnswers: Readonly<Record<string, readonly [method: string, size: number, isBegun: boolean]>> = {
  'a small answer': ['eth_gasPrice', 100, false],
  'an answer of its own request': ['eth_call', 100, false],
  'an answer with no logs': ['eth_getLogs', 2, false],
  'a large answer': ['eth_call', 1_000_000, false],
  'an answer with many logs': ['eth_getLogs', 1_000_000, false],
  'logs that have begun': ['eth_getLogs', 100, true],
}

for (const [name, [method, size, isBegun]] of Object.entries(lateAnswers)) {
  const isKept = size < 1_000 && !isBegun
  t.test(`${name} for a disconnected caller ${isKept ? 'keeps' : 'closes'} the connection`, async (t) => {
    const held: [Call, ServerResponse][] = []
    const server = await node((call, response) => held.push([call, response]))
    const settings = { connections: 2, checkEveryMs: 60_000 }
    const upstream = createUpstream({
      nodes: nodes(server.url),
      timeoutMs: 60_000,
      chainId,
      tuning,
      settings,
    })
    const ask = (options: NodeCallOptions = {}) =>
      upstream.call(method, [], { ...options, callers: callersOf('user') })
    const caller = new AbortController()
    let taken = 0
    const take = () => {
      taken++
      return 'more' as const
    }
    const logs = { take, restart: () => true }
    const left = ask({ signal: caller.signal, ...(method === 'eth_getLogs' && { logs }) })
    const [{ id, request }, response] = await until(() => held[0])
    const closed = new Promise((resolve) => request.socket.once('close', resolve))
    const log = logText(1, 0)
    if (isBegun) {
      response.write(`{"jsonrpc":"2.0","id":${id},"result":[${log}`)
      await until(() => taken > 0)
    }
    caller.abort(new DOMException('left', 'AbortError'))
    await t.rejects(left, { name: 'AbortError' })
    if (!isBegun) response.end(`{"jsonrpc":"2.0","id":${id},"result":"${'0'.repeat(size)}"}`)
    if (!isKept) await closed
    // A connection is free shortly after its answer, so the next call may open the second one.
    for (let at = 1; at <= 4; at++) {
      const next = ask()
      const [call, answer] = await until(() => held[at])
      answer.end(`{"jsonrpc":"2.0","id":${call.id},"error":{"code":3,"message":"no"}}`)
      await next
    }
    const isUsed = held.slice(1).some(([call]) => call.request.socket === request.socket)
    t.equal(isUsed, isKept)
    await upstream.close()
    await server.close()
  })
}

t.test('path, query and credentials of the URL reach the node', async (t) => {
  const provider = await node(({ id }, response) => send(response, 200, { id, result: '0x1e' }))
  t.teardown(provider.close)
  const url = `${provider.url.replace('//', '//user:p%40ss@')}/v2/KEY?chain=main`
  const upstream = createUpstream({ nodes: nodes(url), timeoutMs: 30_000, chainId, tuning })
  await upstream.call('eth_getBalance', [address, 'latest'])
  const [call] = provider.calls
  t.match(call, { method: 'eth_getBalance', params: [address, 'latest'] })
  t.equal(call?.request.url, '/v2/KEY?chain=main')
  t.equal(call?.request.headers.authorization, `Basic ${Buffer.from('user:p@ss').toString('base64')}`)
  t.equal(call?.request.headers['content-type'], 'application/json')
  await upstream.close()
})

t.test('concurrent calls get their own answers, on few connections', async (t) => {
  const sockets = new Set<unknown>()
  const echo = await node(({ id, params, request }, response) => {
    sockets.add(request.socket)
    setImmediate(() => send(response, 200, { id, result: params[0] ?? null }))
  })
  const upstream = createUpstream({ nodes: nodes(echo.url), timeoutMs: 60_000, chainId, tuning })
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, index) => upstream.call('eth_echo', [index])),
  )
  t.strictSame(
    answers.map(({ result }) => result),
    Array.from({ length: 300 }, (_, index) => index),
  )
  t.ok(sockets.size <= poolSettings.connections, `${sockets.size} connections`)
  await upstream.close()
  await echo.close()
})
