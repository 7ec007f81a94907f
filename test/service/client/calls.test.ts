import t from 'tap'
import { privateKeyToAccount } from 'viem/accounts'
import { methods } from '../../../generated/methods.js'
import {
  type Client,
  createClient,
  isRpcError,
  TransportError,
} from '../../../src/service/node-access/index.js'
import { freePort } from '../../support/free-port.js'
import { startHeldNode } from '../../support/held-node.js'
import { awayFromMidnight } from '../../support/midnight.js'
import { runConcordat, startService } from '../../support/service.js'

const limit = 100
const senderKey = '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6'
const nobody = `0x${'ab'.repeat(20)}` as const
const noSuchHash = `0x${'ab'.repeat(32)}` as const

/** The test network is the embedded one. The main network's node answers on request of the test. */
const node = await startHeldNode({ eth_chainId: '0x1e', eth_blockNumber: '0x10' })
const service = await startService({
  env: { CONCORDAT_LIMIT_REQUESTS_PER_DAY: String(limit), CONCORDAT_NODES_MAIN: node.url },
})
t.teardown(async () => {
  node.close()
  await service.stop()
})
const client = createClient(service.networks.test.url)

/** The error with which a promise rejects. */
const caught = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => undefined,
    (error: unknown) => error,
  )

/** The URL of a key of a new user. */
async function newKey(user: string): Promise<string> {
  const args = [
    'keys',
    'create',
    '--user',
    user,
    '--network',
    'test',
    '--name',
    'key',
    '--data',
    service.data,
  ]
  const { out, err } = await runConcordat(args)
  const [url] = /http:\/\/\S+-T/.exec(out) ?? []
  if (url === undefined) throw new Error(`no URL in: ${out}${err}`)
  return url
}

t.test('all 26 methods return the types that they declare', async (t) => {
  const head = await client.eth_blockNumber()
  const logs = await client.eth_getLogs({ fromBlock: `0x${(Number(head) - 400).toString(16)}` })
  const [log] = logs
  if (!log?.blockHash || !log.blockNumber || !log.transactionHash || !log.transactionIndex) {
    return t.fail('a mined log was expected')
  }
  const { address, blockHash, blockNumber, transactionHash, transactionIndex } = log
  const account = privateKeyToAccount(senderKey)
  const gasPrice = await client.eth_gasPrice()
  const nonce = await client.eth_getTransactionCount(account.address, 'pending')
  const signed = await account.signTransaction({
    type: 'legacy',
    chainId: 31,
    to: nobody as `0x${string}`,
    value: 1n,
    gas: 21_000n,
    gasPrice: BigInt(gasPrice),
    nonce: Number(nonce),
  })
  const results: { readonly [Method in keyof typeof methods]: unknown } = {
    eth_accounts: await client.eth_accounts(),
    eth_blockNumber: head,
    eth_call: await client.eth_call({ to: account.address }, 'latest'),
    eth_chainId: await client.eth_chainId(),
    eth_estimateGas: await client.eth_estimateGas({ from: account.address, to: nobody }),
    eth_gasPrice: gasPrice,
    eth_getBalance: await client.eth_getBalance(account.address),
    eth_getBlockByHash: await client.eth_getBlockByHash(blockHash, true),
    eth_getBlockByNumber: await client.eth_getBlockByNumber(blockNumber),
    eth_getBlockTransactionCountByHash: await client.eth_getBlockTransactionCountByHash(blockHash),
    eth_getBlockTransactionCountByNumber: await client.eth_getBlockTransactionCountByNumber(blockNumber),
    eth_getCode: await client.eth_getCode(address, 'latest'),
    eth_getLogs: logs,
    eth_getStorageAt: await client.eth_getStorageAt(address, '0x0', 'latest'),
    eth_getTransactionByBlockHashAndIndex: await client.eth_getTransactionByBlockHashAndIndex(
      blockHash,
      transactionIndex,
    ),
    eth_getTransactionByBlockNumberAndIndex: await client.eth_getTransactionByBlockNumberAndIndex(
      blockNumber,
      transactionIndex,
    ),
    eth_getTransactionByHash: await client.eth_getTransactionByHash(transactionHash),
    eth_getTransactionCount: nonce,
    eth_getTransactionReceipt: await client.eth_getTransactionReceipt(transactionHash),
    eth_getUncleCountByBlockHash: await client.eth_getUncleCountByBlockHash(blockHash),
    eth_getUncleCountByBlockNumber: await client.eth_getUncleCountByBlockNumber(blockNumber),
    eth_protocolVersion: await client.eth_protocolVersion(),
    eth_sendRawTransaction: await client.eth_sendRawTransaction(signed),
    net_version: await client.net_version(),
    web3_clientVersion: await client.web3_clientVersion(),
    web3_sha3: await client.web3_sha3('0x68656c6c6f'),
  }
  t.equal(Object.keys(results).length, 26)
  for (const [name, result] of Object.entries(results)) {
    t.same(methods[name as keyof typeof methods].validateResult(result), [], name)
    t.not(result, null, name)
  }
  t.match(results, { eth_chainId: '0x1f', net_version: '31', eth_accounts: [] })
  t.equal(results.web3_sha3, '0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8')
})

t.test(
  'true returns transaction objects, false and no value return hashes; a missing object is null',
  async (t) => {
    const logs = await client.eth_getLogs({ fromBlock: '0x900', toBlock: 'latest' })
    const hash = logs[0]?.blockHash ?? '0x'
    const objects = await client.eth_getBlockByHash(hash, true)
    const hashes = await client.eth_getBlockByHash(hash, false)
    t.ok(objects?.transactions.length)
    t.same(
      objects?.transactions.map((transaction) => transaction.hash),
      hashes?.transactions,
    )
    t.same(await client.eth_getBlockByHash(hash), hashes)
    t.same(
      await Promise.all([
        client.eth_getBlockByHash(noSuchHash, true),
        client.eth_getTransactionByHash(noSuchHash),
        client.eth_getTransactionReceipt(noSuchHash),
        client.eth_getBlockTransactionCountByHash(noSuchHash),
      ]),
      [null, null, null, null],
    )
    t.same(await client.eth_getLogs({ blockHash: noSuchHash }), [])
  },
)

t.test("the contract's errors are discriminated by name, with their data", async (t) => {
  const wrong = await caught(client.eth_getBalance('0x12'))
  t.ok(isRpcError(wrong, 'invalidParams') && !isRpcError(wrong, 'limitExceeded'))
  t.match(wrong, { error: 'invalidParams', code: -32602, httpStatus: 200, method: 'eth_getBalance' })
  t.match(wrong, { data: [{ path: '/0', rule: 'pattern' }] })
  t.match(await caught(client.eth_getBalance(nobody, '0xfffffff')), { error: 'blockNotFound', code: -32001 })
  t.match(await caught(client.eth_sendRawTransaction('0x00')), { error: 'invalidParams' })

  const refused = createClient(service.networks.test.url.replace(/\w{5}-T$/, 'AAAAA-T'))
  const key = await caught(refused.eth_chainId())
  t.ok(isRpcError(key, 'unauthorized'))
  t.match(key, { error: 'unauthorized', code: -32016, httpStatus: 401 })
  t.match(await caught(refused.batch((call) => [call.eth_chainId()])), {
    error: 'unauthorized',
    httpStatus: 401,
  })
})

t.test('a batch returns a typed outcome for each call, and an error affects no other call', async (t) => {
  const [chainId, block, wrong, missing] = await client.batch((call) => [
    call.eth_chainId(),
    call.eth_getBlockByNumber('latest', true),
    call.eth_getBalance('0x12'),
    call.eth_getTransactionReceipt(noSuchHash),
  ])
  t.same(chainId, { status: 'fulfilled', value: '0x1f' })
  t.ok(block.status === 'fulfilled' && block.value?.transactions[0]?.from)
  t.match(wrong, { status: 'rejected', reason: { error: 'invalidParams', method: 'eth_getBalance' } })
  t.same(missing, { status: 'fulfilled', value: null })
})

t.test('a batch that is longer than the contract allows is split', async (t) => {
  await awayFromMidnight()
  const splitter = createClient(await newKey('splitter@example.com'))
  const outcomes = await splitter.batch((call) => Array.from({ length: limit + 1 }, () => call.eth_chainId()))
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, limit)
  const [refused] = outcomes.filter(({ status }) => status === 'rejected')
  t.match(
    refused,
    { reason: { error: 'limitExceeded', method: 'eth_chainId' } },
    'not refused for its length',
  )
})

t.test(
  'an exhausted quota and a refused key are distinguished, in a batch and in single calls',
  async (t) => {
    await awayFromMidnight()
    const spender = createClient(await newKey('spender@example.com'))
    const batch = (calls: number) =>
      spender.batch((call) => Array.from({ length: calls }, () => call.eth_chainId()))
    t.ok((await batch(60)).every(({ status }) => status === 'fulfilled'))
    const outcomes = await batch(60)
    t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 40)
    t.match(outcomes.at(-1), { status: 'rejected', reason: { error: 'limitExceeded', httpStatus: 200 } })
    for (const refused of [await caught(spender.eth_chainId()), await caught(batch(2))]) {
      if (!isRpcError(refused, 'limitExceeded')) return t.fail(String(refused))
      t.match(refused, { code: -32005, httpStatus: 429, data: { limit, used: limit, scope: 'daily' } })
      const seconds = (Date.parse(refused.data?.resetAt ?? '') - Date.now()) / 1_000
      t.equal(refused.retryAfterSeconds !== undefined, seconds <= 60)
    }
  },
)

t.test('a custom fetch sees the remaining requests of the day', async (t) => {
  await awayFromMidnight()
  const left: number[] = []
  const watching = createClient(service.networks.test.url, {
    async fetch(url, request) {
      const answer = await fetch(url, request)
      left.push(Number(/;r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]))
      return answer
    },
  })
  await watching.eth_chainId()
  await watching.batch((call) => [call.eth_chainId(), call.net_version()])
  const [before = Number.NaN, after] = left
  t.equal(after, before - 2)
})

t.test('a call to a silent node ends at its timeout, or when its signal aborts', async (t) => {
  const main: Client = createClient(service.networks.main.url)
  const late = await caught(main.eth_gasPrice({ timeoutMilliseconds: 200 }))
  t.ok(late instanceof TransportError)
  t.match(late, { kind: 'timeout', method: 'eth_gasPrice' })

  const controller = new AbortController()
  const sent = caught(main.web3_clientVersion({ signal: controller.signal }))
  await node.arrived('web3_clientVersion')
  const reason = new Error('the page was closed')
  controller.abort(reason)
  t.equal(await sent, reason)
  t.equal(await main.eth_chainId(), '0x1e', 'the client still works')
})

t.test('an unreachable port is reported without the key', async (t) => {
  const port = await freePort()
  const error = await caught(createClient(`http://127.0.0.1:${port}/a-key-of-some-length`).eth_chainId())
  t.ok(error instanceof TransportError && !isRpcError(error))
  t.match(error, {
    kind: 'network',
    message: `eth_chainId: no answer from http://127.0.0.1:${port} (connect ECONNREFUSED`,
  })
})
