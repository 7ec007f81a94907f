/** The members of call objects and filters that unmodified clients send (rule call.other-members). */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ethers } from 'ethers'
import t from 'tap'
import { createPublicClient, createWalletClient, defineChain, encodeFunctionData, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { Web3 } from 'web3'
import { counter } from '../../../support/counter.js'
import { developmentAccounts } from '../../../support/development-chain.js'
import { post, startService } from '../../../support/service.js'

const data = encodeFunctionData({ abi: counter.abi, functionName: 'count' })
const count = `0x${'28'.padStart(64, '0')}`

/** Own, because the logs of its latest block are compared. */
const service = await startService()
const { url, chainId } = service.networks.test

/** Members that were sent since the last reading, of call objects and of filters. */
const sent = { call: new Set<string>(), filter: new Set<string>() }

function record(body: unknown): void {
  for (const { method, params } of [body].flat() as { method: string; params?: unknown[] }[]) {
    const kind = method === 'eth_getLogs' ? 'filter' : 'call'
    if (!['eth_call', 'eth_estimateGas', 'eth_getLogs'].includes(method)) continue
    for (const name of Object.keys(Object(params?.[0]))) sent[kind].add(name)
  }
}

/** The members sent since the last reading, sorted. */
function sentOf(kind: 'call' | 'filter'): string {
  const names = [...sent[kind]].sort().join(' ')
  sent[kind].clear()
  return names
}

/** A proxy that records requests and forwards them byte for byte. */
const way = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  record(JSON.parse(text))
  const answer = await post(url, text)
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text)
}).listen(0, '127.0.0.1')
await once(way, 'listening')
const at = `http://127.0.0.1:${(way.address() as AddressInfo).port}`
t.teardown(async () => {
  way.closeAllConnections()
  way.close()
  await service.stop()
})

const chain = defineChain({
  id: Number(chainId),
  name: 'test network',
  nativeCurrency: { name: 'coin', symbol: 'C', decimals: 18 },
  rpcUrls: { default: { http: [at] } },
})
const [first, second] = developmentAccounts
if (first === undefined || second === undefined) throw new TypeError('no accounts')
const account = privateKeyToAccount(first.privateKey as Hex)
const client = createPublicClient({ chain, transport: http(at), pollingInterval: 50 })
const wallet = createWalletClient({ account, chain, transport: http(at) })
const deployment = await wallet.deployContract({ ...counter, args: [40n], type: 'legacy' })
const { contractAddress: to } = await client.waitForTransactionReceipt({ hash: deployment })
if (!to) throw new TypeError('not deployed')
const accessList = [{ address: to, storageKeys: [`0x${'00'.repeat(32)}` as Hex] }]
const blobHash: Hex = `0x01${'00'.repeat(31)}`
sentOf('call')

t.test('viem: all members of calls and estimates are accepted', async (t) => {
  const legacy = { account, to, data, nonce: 9, gas: 100_000n, gasPrice: 60_000_000n, value: 0n } as const
  t.equal((await client.call({ ...legacy, type: 'legacy' })).data, count)
  t.equal((await client.call({ account, to, data, gasPrice: 60_000_000n, accessList })).data, count)
  const fees = { maxFeePerGas: 60_000_000n, maxPriorityFeePerGas: 1n } as const
  t.equal((await client.call({ account, to, data, ...fees, type: 'eip1559' })).data, count)
  t.ok((await client.estimateGas({ account, to, data, nonce: 9, type: 'legacy', gasPrice: 1n })) > 21_000n)
  t.ok((await client.estimateContractGas({ ...counter, address: to, functionName: 'count' })) > 21_000n)
  t.equal(
    sentOf('call'),
    'accessList data from gas gasPrice maxFeePerGas maxPriorityFeePerGas nonce to value',
  )
})

t.test('viem and ethers: members of newer transaction types reach the node, which decides', async (t) => {
  const authorization = await wallet.signAuthorization({ contractAddress: to, chainId: 31, nonce: 99 })
  await t.rejects(client.call({ account, to, data, authorizationList: [authorization] }), /Eip7702/)
  t.equal((await client.call({ account, to, data, maxFeePerBlobGas: 1n } as never)).data, count)
  const provider = new ethers.JsonRpcProvider(at, undefined, { cacheTimeout: -1 })
  t.teardown(() => provider.destroy())
  const refused = await provider.call({ to, data, blobVersionedHashes: [blobHash] }).catch((error) => error)
  t.match(refused, { info: { error: { code: -32003 } } })
  t.equal(sentOf('call'), 'authorizationList blobVersionedHashes data from maxFeePerBlobGas to')
})

t.test('viem: each kind of filter is accepted', async (t) => {
  const { hash } = await client.getBlock()
  t.same(await client.getLogs({ blockHash: hash }), [])
  t.same(await client.getLogs({ address: to, fromBlock: 0n, toBlock: 'latest' }), [])
  t.same(
    await client.getContractEvents({ ...counter, address: to, fromBlock: 0n, eventName: 'Increased' }),
    [],
  )
  t.equal(sentOf('filter'), 'address blockHash fromBlock toBlock topics')
})

t.test('ethers: all members of calls, estimates and filters are accepted', async (t) => {
  const provider = new ethers.JsonRpcProvider(at, undefined, { pollingInterval: 50, cacheTimeout: -1 })
  t.teardown(() => provider.destroy())
  const from = account.address
  const legacy = { from, to, data, nonce: 9, gasLimit: 100_000, gasPrice: 60_000_000n, value: 0, chainId: 31 }
  t.equal(await provider.call({ ...legacy, type: 0 }), count)
  t.equal(await provider.call({ ...legacy, type: 1, accessList }), count)
  const fees = { maxFeePerGas: 60_000_000n, maxPriorityFeePerGas: 1n }
  t.equal(await provider.call({ from, to, data, chainId: 31, type: 2, ...fees }), count)
  t.ok((await provider.estimateGas({ ...legacy, type: 0 })) > 21_000n)
  t.equal(
    sentOf('call'),
    'accessList chainId data from gas gasPrice maxFeePerGas maxPriorityFeePerGas nonce to type value',
  )
  t.same(await provider.getLogs({ address: to, fromBlock: 0, toBlock: 'latest', topics: [null] }), [])
  t.same(await provider.getLogs({ blockHash: (await provider.getBlock('latest'))?.hash ?? '' }), [])
  t.equal(sentOf('filter'), 'address blockHash fromBlock toBlock topics')
})

t.test('web3.js: all members of calls, estimates and filters are accepted', async (t) => {
  const web3 = new Web3(at)
  web3.transactionPollingInterval = 50
  const from = web3.eth.accounts.wallet.add(second.privateKey)[0]?.address
  const contract = new web3.eth.Contract([...counter.abi] as never[], to) as unknown as Web3Contract
  const { increase, count: read } = contract.methods
  const network = { chain: 'mainnet', hardfork: 'london', chainId: '31', networkId: '31' }
  const common = { customChain: { networkId: 31, chainId: 31 }, baseChain: 'mainnet', hardfork: 'london' }
  const legacy = { from, gas: '100000', gasPrice: '60000000', type: '0x0', nonce: '9' }
  t.equal(await read().call(), 40n)
  t.equal(await read().call({ ...legacy, ...network }), 40n)
  t.equal(await read().call({ from, common }), 40n)
  const fees = { maxFeePerGas: '60000000', maxPriorityFeePerGas: '1' }
  t.equal(await web3.eth.call({ ...(from && { from }), to, data, accessList, ...fees, type: '0x2' }), count)
  t.ok((await increase(3).estimateGas({ from, ...network })) > 21_000n)
  web3.setConfig({ contractDataInputFill: 'both' })
  contract.setConfig({ contractDataInputFill: 'both' })
  t.equal(await read().call(), 40n)
  t.equal(
    sentOf('call'),
    'accessList chain chainId common data from gas gasPrice hardfork input maxFeePerGas maxPriorityFeePerGas networkId nonce to type',
  )
  const { status } = await increase(2).send({ from, type: '0x0', gasPrice: '60000000' })
  t.equal(status, 1n)
  t.equal(
    sentOf('call'),
    'chain chainId data from gasPrice hardfork input networkId nonce to type value',
    'estimates have the members of its configuration',
  )
  t.equal((await contract.getPastEvents('Increased', { fromBlock: 0, toBlock: 'latest' })).length, 1)
  t.equal((await web3.eth.getPastLogs({ address: to, fromBlock: 0 })).length, 1)
  t.equal(sentOf('filter'), 'address fromBlock toBlock topics')
})

/** The parts of a web3.js contract that the test uses. Its types require a constant interface. */
interface Web3Contract {
  readonly methods: {
    count(): { call(options?: object): Promise<bigint> }
    increase(by: number): {
      estimateGas(options: object): Promise<bigint>
      send(options: object): Promise<{ readonly status: bigint }>
    }
  }
  setConfig(config: object): void
  getPastEvents(name: string, options: object): Promise<readonly unknown[]>
}
