import type { ServerResponse } from 'node:http'
import t from 'tap'
import { privateKeyToAccount } from 'viem/accounts'
import { extensions, limits } from '../../../../../generated/contract.js'
import { type JsonValue, RawJson, RpcError } from '../../../../../src/runtime/rpc/index.js'
import { createAnswerCache } from '../../../../../src/service/gateway/cache/index.js'
import { createAnswers, createForwarder } from '../../../../../src/service/gateway/methods/index.js'
import type { Upstream } from '../../../../../src/service/gateway/nodes/index.js'
import type { PoolSettings } from '../../../../../src/service/gateway/nodes/pool/pool-settings.js'
import { statedMethods } from '../../../../../src/service/gateway/profiles/index.js'
import {
  type AnvilNode,
  type ProxiedCall,
  startAnvilNode,
  startChain,
} from '../../../../support/anvil-node.js'
import { developmentAccounts } from '../../../../support/development-chain.js'
import { until } from '../../../../support/until.js'
import { unchecked, upstreamOf } from '../../../../support/upstream-of.js'

const chain = await startChain()
t.teardown(() => chain.stop())
const account = privateKeyToAccount(developmentAccounts[0].privateKey)
/** Creation code that emits a log without data and topics: PUSH1 0, PUSH1 0, LOG0. */
const emitLog = '0x60006000a0'
let nonce = 0
const sign = (data?: `0x${string}`) => {
  const to = data === undefined ? account.address : undefined
  const fields = { chainId: 31, nonce: nonce++, gas: 100_000n, gasPrice: 1n, value: 0n } as const
  return account.signTransaction({ type: 'legacy', ...fields, to, data })
}
/** Waits for the receipt of a transaction: anvil answers before it has mined the block. */
const mined = async (hash: string) =>
  (await until(() => chain.ask('eth_getTransactionReceipt', hash))) as {
    readonly blockHash: string
    readonly blockNumber: string
  }
const transaction = String(await chain.ask('eth_sendRawTransaction', await sign(emitLog)))
const { blockHash, blockNumber } = await mined(transaction)

/** A call of each method that nodes answer, without the transactions that are sent last. */
const calls: Readonly<Record<string, readonly JsonValue[]>> = {
  eth_blockNumber: [],
  eth_call: [{ data: '0x5f5ff3' }, 'latest'],
  eth_estimateGas: [{ from: account.address, data: emitLog }, 'latest'],
  eth_gasPrice: [],
  eth_getBalance: [account.address, 'latest'],
  eth_getBlockByHash: [blockHash, true],
  eth_getBlockByNumber: [blockNumber, false],
  eth_getBlockTransactionCountByHash: [blockHash],
  eth_getBlockTransactionCountByNumber: [blockNumber],
  eth_getCode: [account.address, 'latest'],
  eth_getLogs: [{ fromBlock: '0x0', toBlock: 'latest' }],
  eth_getStorageAt: [account.address, '0x0', 'latest'],
  eth_getTransactionByBlockHashAndIndex: [blockHash, '0x0'],
  eth_getTransactionByBlockNumberAndIndex: [blockNumber, '0x0'],
  eth_getTransactionByHash: [transaction],
  eth_getTransactionCount: [account.address, 'latest'],
  eth_getTransactionReceipt: [transaction],
  eth_getUncleCountByBlockHash: [blockHash],
  eth_getUncleCountByBlockNumber: [blockNumber],
  eth_protocolVersion: [],
  web3_clientVersion: [],
}

/** Answers with a status and a text, in place of the node. */
const says =
  (status: number, text: string) =>
  (_: readonly ProxiedCall[], response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  }

/** Answers each call with members of its own, in place of the node. */
const answers =
  (members: object, idShift = 0) =>
  (calls: readonly ProxiedCall[], response: ServerResponse): void => {
    const all = calls.map(({ id }) => ({ jsonrpc: '2.0', id: id + idShift, ...members }))
    says(200, JSON.stringify(all.length === 1 ? all[0] : all))(calls, response)
  }

const error = (code: number, message: string) => answers({ error: { code, message } })

interface Fault {
  readonly what: string
  readonly act: (calls: readonly ProxiedCall[], response: ServerResponse) => void
  /** What a transaction gets where the answer of the first node is final. */
  readonly transaction?: string
  /** Timeout of the first node, in milliseconds. */
  readonly timeoutMs?: number
}

const faults: readonly Fault[] = [
  { what: 'a broken connection', act: (_, response) => response.destroy() },
  { what: 'no answer in time', act: () => undefined, timeoutMs: 2_000 },
  {
    what: 'an answer that breaks off',
    act: (_, response) =>
      response.writeHead(200, { 'content-length': 500 }).write('{"id":', () => response.destroy()),
  },
  { what: 'HTTP 500', act: says(500, 'exception') },
  { what: 'HTTP 502', act: says(502, '<html>') },
  { what: 'HTTP 503', act: says(503, '') },
  { what: 'HTTP 429', act: says(429, '') },
  { what: 'HTTP 401', act: says(401, '{"error":"no"}') },
  { what: 'no JSON', act: says(200, '<html>') },
  { what: 'the id of another call', act: answers({ result: '0x1' }, 1_000) },
  { what: 'neither a result nor an error', act: answers({}) },
  { what: 'a result of another type', act: answers({ result: false }) },
  { what: '-32601', act: error(-32601, 'method not found') },
  { what: '-32004', act: error(-32004, 'method not supported') },
  { what: '-32005', act: error(-32005, 'too many requests per second') },
  { what: '-32602', act: error(-32602, 'invalid argument 0'), transaction: 'transactionRejected: ' },
  { what: '-32603', act: error(-32603, 'Internal server error'), transaction: 'nodeAnsweredRubbish: ' },
]

/** Nodes are checked once, so that only calls show the fault; and no number of failures ends the use of a node. */
const own: Partial<PoolSettings> = {
  ...unchecked,
  checkAgainMs: 600_000,
  smallTryMs: 200,
  failingCalls: 1_000_000,
  failingSilent: 1_000_000,
}

/** The text of a method's answer, or the name of its failure. */
function answersOf(upstream: Upstream) {
  const { call, head } = upstream
  const cached = createAnswerCache({ forward: createForwarder(call), head, limits })
  const network = extensions['x-networks'].test
  const answer = createAnswers({ call, cached, network, nodeCallsPerSecond: () => 200 })
  return async (method: string, params: readonly JsonValue[]) => {
    try {
      const caller = { userId: 'user', request: {}, inBatch: true, holdLogs: () => true } as const
      const found = await answer(method, params, caller)
      return found instanceof RawJson ? String(found.text) : JSON.stringify(found)
    } catch (error) {
      return error instanceof RpcError ? `${error.failure}: ${error.message}` : String(error)
    }
  }
}

type Test = Pick<typeof t, 'teardown'>

/** Opens an upstream that asks the first node before the other one. Both have answered their only check. */
async function open(t: Test, nodes: readonly AnvilNode[], timeoutMs = 60_000): Promise<Upstream> {
  const ownNodes = nodes.map((node, at) => node.settings(at === 0 ? { timeoutMs } : { weight: 0 }))
  return until(async () => {
    // The check of the first node ends after its timeout, which a slow machine may exceed.
    let isLate = false
    const warn = (_: object, words: string) => {
      isLate ||= words === 'a node does not answer checks and is not used'
    }
    const log = { error: () => {}, warn, info: () => {} }
    const upstream = upstreamOf(t, nodes, { nodes: ownNodes, timeoutMs: 60_000, settings: own, log })
    await until(() => isLate || upstream.status().every(({ state }) => state === 'ok'))
    return !isLate && upstream
  })
}

/** Asks for everything in the table. Logs come first: a node that failed to show the state of a block is asked for none. */
const askAll = async (ask: ReturnType<typeof answersOf>) => {
  await ask('eth_getLogs', calls['eth_getLogs'] ?? [])
  const found = await Promise.all(
    Object.entries(calls).map(async ([method, params]) => [method, await ask(method, params)] as const),
  )
  return new Map(found)
}

/** What a healthy node alone answers at the moment. */
const askHealthy = async (t: Test) => askAll(answersOf(await open(t, [await startAnvilNode(chain)])))

t.test('a call of every method that nodes answer is in the table', async (t) => {
  const answeredByNodes = Object.values(statedMethods).flatMap(({ name, extensions }) => {
    const answer = extensions['x-answer']
    return typeof answer === 'object' || name === 'web3_sha3' ? [] : [name]
  })
  t.strictSame([...Object.keys(calls), 'eth_sendRawTransaction'].sort(), answeredByNodes.sort())
})

t.test('the healthy node answers every call of the table', async (t) => {
  for (const [method, text] of await askHealthy(t)) t.notMatch(text, /^\w+: /, method)
})

for (const { what, act, transaction, timeoutMs } of faults) {
  t.test(`${what} from the first node: every method is answered by the other one`, async (t) => {
    const [failing, other] = [await startAnvilNode(chain), await startAnvilNode(chain)]
    const upstream = await open(t, [failing, other], timeoutMs)
    const ask = answersOf(upstream)
    failing.intercept = (calls, response) => {
      act(calls, response)
      return true
    }
    const before = Object.keys(calls).map((method) => [method, failing.asked(method)] as const)
    const found = await askAll(ask)
    for (const [method, text] of await askHealthy(t)) t.equal(found.get(method), text, method)
    const reached = before
      .filter(([method, times]) => failing.asked(method) > times)
      .map(([method]) => method)
    // A node that asks for fewer calls is left alone.
    if (what === 'HTTP 429') t.ok(reached.length > 0)
    else t.strictSame(reached, Object.keys(calls), 'the calls reached the failing node')
    const sent = await ask('eth_sendRawTransaction', [await sign()])
    if (what !== 'HTTP 429') t.ok(failing.asked('eth_sendRawTransaction') > 0)
    if (transaction !== undefined) {
      nonce--
      t.match(sent, transaction)
    } else {
      t.match(sent, /^"0x[0-9a-f]{64}"$/)
      // Otherwise, the nodes of the next test may answer their only check about different heads.
      await mined(JSON.parse(sent))
    }
  })
}

t.test('what the only node answers is the error of the call', async (t) => {
  const node = await startAnvilNode(chain)
  const upstream = await open(t, [node])
  const ask = answersOf(upstream)
  node.intercept = (calls, response) => {
    error(-32603, 'Internal server error')(calls, response)
    return true
  }
  for (const [method, params] of Object.entries(calls)) {
    const given = await ask(method, params)
    if (method === 'eth_call') t.match(given, 'transactionRejected: ')
    else if (method === 'eth_estimateGas') t.equal(given, '"0x67c280"', 'the fallback of the contract')
    else t.equal(given, 'nodeFailedCall: The nodes cannot answer this call', method)
  }
})
