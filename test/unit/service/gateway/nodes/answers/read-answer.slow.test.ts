import type { ServerResponse } from 'node:http'
import t from 'tap'
import type { FairLimiter } from '../../../../../../src/runtime/server/index.js'
import { tuningDefaults as tuning } from '../../../../../../src/service/gateway/app/config/tuning.js'
import { createAnswerRoom, createUpstream } from '../../../../../../src/service/gateway/nodes/index.js'
import type { PoolSettings } from '../../../../../../src/service/gateway/nodes/pool/pool-settings.js'
import { blockHash, type NodeServer, startNodeServer } from '../../../../../support/node-server.js'
import { until } from '../../../../../support/until.js'
import { settings } from '../../../../../support/upstream-of.js'

/** The upstream of some nodes, closed after the test, with the errors in the log. */
function upstreamOf(
  t: Pick<typeof import('tap').t, 'teardown'>,
  nodes: readonly NodeServer[],
  own: Partial<PoolSettings> = {},
  answerRoom?: FairLimiter,
) {
  const errors: string[] = []
  const log = { error: (_: object, words: string) => errors.push(words), warn: () => {}, info: () => {} }
  const upstream = createUpstream({
    tuning,
    nodes: nodes.map((node) => node.settings()),
    timeoutMs: 60_000,
    chainId: '0x1f',
    settings: { ...settings, ...own },
    answerRoom,
    log,
  })
  t.teardown(async () => {
    await upstream.close()
    for (const node of nodes) await node.close()
  })
  return { upstream, errors }
}

/** Makes a node answer one method with this JSON text. */
function lie(node: NodeServer, method: string, result: string): void {
  node.fault = ({ calls: [call] }, response) => {
    if (call?.method !== method) return false
    response.end(`{"jsonrpc":"2.0","id":${call.id},${result}}`)
    return true
  }
}

const account = `0x${'11'.repeat(20)}`
const nested = '['.repeat(20_000) + ']'.repeat(20_000)

t.test('an answer that is nested too deeply is invalid, and another node is asked', async (t) => {
  const [liar, honest] = [await startNodeServer(), await startNodeServer()]
  const { upstream } = upstreamOf(t, [liar, honest])
  await until(() => upstream.status().every(({ state }) => state === 'ok'))
  for (const told of [
    `"result":{"uncles":${nested}}`,
    `"error":{"code":-32000,"message":"","data":${nested}}`,
  ]) {
    lie(liar, 'eth_getBlockByNumber', told)
    const asked = Array.from({ length: 4 }, () => upstream.call('eth_getBlockByNumber', ['0x5', false]))
    for (const { result } of await Promise.all(asked)) t.match(result, { number: '0x5' })
  }
})

t.test('another block than the requested one is an invalid answer', async (t) => {
  const [liar, honest] = [await startNodeServer(), await startNodeServer()]
  const { upstream } = upstreamOf(t, [liar, honest])
  await until(() => upstream.status().every(({ state }) => state === 'ok'))
  lie(liar, 'eth_getBlockByNumber', `"result":{"number":"0x6","hash":"${blockHash('main', 6)}"}`)
  const asked = Array.from({ length: 4 }, () => upstream.call('eth_getBlockByNumber', ['0x5', false]))
  for (const { result } of await Promise.all(asked)) t.match(result, { number: '0x5' })
})

t.test('a head beyond safe numbers is invalid', async (t) => {
  const [liar, honest] = [await startNodeServer(), await startNodeServer()]
  lie(liar, 'eth_blockNumber', `"result":"0x${'f'.repeat(400)}"`)
  const { upstream } = upstreamOf(t, [liar, honest])
  t.strictSame(await upstream.call('eth_blockNumber', []), { result: '0x64' })
  await until(() => upstream.status()[0]?.state === 'unreachable')
  t.equal(upstream.head(), 100n)
  t.match(await upstream.call('eth_getBalance', [account, 'latest']), { result: '0x11111111' })
})

t.test('one of three nodes that is far ahead at startup is never followed', async (t) => {
  const liar = await startNodeServer({ head: 2 ** 32 })
  const honest = [await startNodeServer({ head: 99 }), await startNodeServer({ head: 100 })]
  const { upstream } = upstreamOf(t, [liar, ...honest])
  t.strictSame(await upstream.call('eth_blockNumber', []), { result: '0x64' })
  await upstream.call('eth_getBalance', [account, 'latest'])
  t.equal(upstream.head(), 100n)
  const asked = liar.requests.flatMap(({ calls }) => calls.map(({ method }) => method))
  t.notOk(asked.includes('eth_getBalance'))
  liar.head = 101
  for (const node of honest) node.head = 101
  await until(() => upstream.head() === 101n)
  t.strictSame(await upstream.call('eth_blockNumber', []), { result: '0x65' })
})

t.test(
  'a node whose address now serves another network is not asked, and its head is forgotten',
  async (t) => {
    const [changing, honest] = [await startNodeServer({ head: 105 }), await startNodeServer({ head: 100 })]
    const { upstream, errors } = upstreamOf(t, [changing, honest])
    await until(() => upstream.head() === 105n && upstream.status()[1]?.state === 'ok')
    changing.chainId = '0x1e'
    await until(() => upstream.status()[0]?.state === 'wrong-network')
    t.strictSame(errors, ['a node serves another network and is not used'])
    t.strictSame(await upstream.call('eth_blockNumber', []), { result: '0x64' })
    t.match(await upstream.call('eth_getBalance', [account, 'latest']), { result: '0x11111111' })
  },
)

t.test('large answers that are read concurrently share a memory limit, and release it', async (t) => {
  const node = await startNodeServer()
  const mebibyte = 1024 * 1024
  const answerRoom = createAnswerRoom(8 * mebibyte)
  const { upstream } = upstreamOf(t, [node], { answerBytes: 4 * mebibyte }, answerRoom)
  await until(() => upstream.status().every(({ state }) => state === 'ok'))
  const waiting: { id: unknown; response: ServerResponse }[] = []
  node.fault = ({ calls: [call] }, response) => {
    if (call?.method !== 'eth_call') return false
    response.write(' '.repeat(3 * mebibyte))
    waiting.push({ id: call.id, response })
    return true
  }
  const ask = () => upstream.call('eth_call', [{ to: account }, 'latest'])
  const first = ask()
  const second = ask()
  await until(() => waiting.length === 2)
  // The third one is read as far as the others leave room. The network decides which of them is late.
  const third = ask()
  const outcomes = [first, second, third]
  const refused = await Promise.race(outcomes)
  t.match(refused, { error: { code: -32005 } })
  const answerAll = () => {
    for (const { id, response } of waiting.splice(0))
      response.end(`{"jsonrpc":"2.0","id":${id},"result":"0x01"}`)
  }
  answerAll()
  const settled = await Promise.all(outcomes)
  t.equal(settled.filter(({ error }) => error !== undefined).length, 1)
  for (let time = 0; time < 3; time++) {
    const next = ask()
    await until(() => waiting.length === 1)
    answerAll()
    t.match(await next, { result: '0x01' }, 'room is available again')
  }
})

t.test(
  'large answers of a stated size wait for memory instead of failing, and so does their deadline',
  async (t) => {
    const node = await startNodeServer()
    const mebibyte = 1024 * 1024
    const answerRoom = createAnswerRoom(4 * mebibyte)
    const { upstream } = upstreamOf(t, [node], {}, answerRoom)
    await until(() => upstream.status().every(({ state }) => state === 'ok'))
    const held: (() => void)[] = []
    node.fault = ({ calls: [call] }, response) => {
      if (call?.method !== 'eth_call') return false
      const answer = `{"jsonrpc":"2.0","id":${call.id},"result":"0x01"}`.padEnd(3 * mebibyte)
      response.writeHead(200, { 'content-length': answer.length })
      response.write(answer.slice(0, mebibyte))
      held.push(() => response.end(answer.slice(mebibyte)))
      return true
    }
    const ask = () => upstream.call('eth_call', [{ to: account }, 'latest'])
    const outcomes = [ask(), ask(), ask()]
    await until(() => held.length === outcomes.length)
    for (const finish of held) finish()
    for (const outcome of outcomes) t.match(await outcome, { result: '0x01' })
    t.ok(answerRoom.take(answerRoom.of('user'), 4 * mebibyte), 'all of the memory is free again')
  },
)
