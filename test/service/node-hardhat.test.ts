import { fileURLToPath } from 'node:url'
import t from 'tap'
import { createPublicClient, createWalletClient, defineChain, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { counter } from '../support/counter.js'
import { developmentAccounts } from '../support/development-chain.js'
import { startHardhatNode } from '../support/hardhat-node.js'
import { longTest } from '../support/runs.js'
import { call, post, runConcordat, startService } from '../support/service.js'

const known = fileURLToPath(new URL('../../conformance/known/service-over-hardhat.yaml', import.meta.url))

const node = await startHardhatNode(31)
const service = await startService({ env: { CONCORDAT_NODES_TEST: node.url, CONCORDAT_LOG_LEVEL: 'silent' } })
t.teardown(async () => {
  await service.stop()
  await node.stop()
})
const { url } = service.networks.test
const unknown = `0x${'99'.repeat(32)}`
const nobody = `0x${'00'.repeat(19)}07`

t.test("viem deploys, calls, estimates and reads logs through the service over Hardhat's node", async (t) => {
  const chain = defineChain({
    id: 31,
    name: 'test network',
    nativeCurrency: { name: 'coin', symbol: 'C', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const client = createPublicClient({ chain, transport: http(url), pollingInterval: 50 })
  const account = privateKeyToAccount(developmentAccounts[0].privateKey)
  const wallet = createWalletClient({ account, chain, transport: http(url) })
  const deployment = await wallet.deployContract({ ...counter, account, args: [40n], type: 'legacy' })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployment })
  const contract = { abi: counter.abi, address: contractAddress ?? '0x' } as const
  const increase = { ...contract, functionName: 'increase', args: [2n] } as const
  t.ok((await client.estimateContractGas({ ...increase, account })) > 21_000n)
  const hash = await wallet.writeContract({ ...increase, type: 'legacy' })
  const receipt = await client.waitForTransactionReceipt({ hash })
  t.equal(receipt.status, 'success')
  t.equal(await client.readContract({ ...contract, functionName: 'count' }), 42n)
  t.equal((await client.getLogs({ address: contract.address, fromBlock: 0n })).length, 1)
  const reverting = { ...increase, args: [0n] } as const
  await t.rejects(client.simulateContract(reverting), { message: /nothing to add/ })
  t.equal(typeof (await client.estimateContractGas({ ...reverting, account })), 'bigint', 'still an estimate')
  const failing = await wallet.writeContract({ ...reverting, gas: 100_000n, type: 'legacy' })
  t.equal((await client.waitForTransactionReceipt({ hash: failing })).status, 'reverted')
})

t.test("other answers of Hardhat's node are converted to the contract's form", async (t) => {
  const nulls = [
    ['eth_getBlockByNumber', '0xffffff', false],
    ['eth_getBlockByHash', unknown, false],
    ['eth_getTransactionByHash', unknown],
    ['eth_getTransactionReceipt', unknown],
    ['eth_getBlockTransactionCountByNumber', '0xffffff'],
    ['eth_getUncleCountByBlockNumber', '0xffffff'],
    ['eth_getUncleCountByBlockHash', unknown],
    ['eth_getTransactionByBlockNumberAndIndex', '0xffffff', '0x0'],
  ] as const
  for (const [method, ...params] of nulls) t.equal(await call(url, method, ...params), null, method)
  t.equal(await call(url, 'eth_getUncleCountByBlockNumber', '0x1'), '0x0', 'a method that it lacks')
  t.strictSame(await call(url, 'eth_getLogs', { blockHash: unknown }), [])
  const { json } = await post(url, {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getBalance',
    params: [nobody, '0xffffff'],
  })
  t.match(json, { error: { code: -32001 } })
  const lacking = await post(url, { jsonrpc: '2.0', id: 1, method: 'eth_protocolVersion' })
  t.match(
    [lacking.status, lacking.json],
    [200, { error: { code: -32603, message: 'No node offers this method' } }],
  )
  const byIndex = await call(url, 'eth_getTransactionByBlockNumberAndIndex', '0x1', '0x0')
  t.match(byIndex, { _id: `${byIndex.blockHash}-0x0`, yParity: undefined, accessList: undefined })
})

/** All but estimates: calls that run out of gas block Hardhat's node for longer than the timeout. */
const groups = [
  ...[
    'batch',
    'blocks',
    'call',
    'derived',
    'identity',
    'logs-filter',
    'null-lookups',
    'receipts',
    'send-raw',
  ],
  ...['state', 'transactions', 'uncles'],
]

longTest("the suite finds what Hardhat's node lacks, and nothing else", async (t) => {
  const only = groups.flatMap((group) => ['--only', `${group}/*`])
  const mode = ['--network', 'test', '--allow', 'write', '--timeout', '300']
  const args = ['conform', url, ...mode, '--known', known, ...only]
  const { out, err, code } = await runConcordat(args, {
    CONCORDAT_CONFORM_FUNDED_KEY: developmentAccounts[1].privateKey,
  })
  const failed = [...out.matchAll(/^ {2}✗ (\S+)$/gm)].map(([, id]) => id)
  t.same(failed, [], `every difference is listed: ${out}`)
  t.equal(code, 0, 'every listed difference exists')
  t.equal(err, '')
})
