import assert from 'node:assert/strict'
import {
  createConfig,
  deployContract,
  getBalance,
  getBlock,
  getBlockNumber,
  getPublicClient,
  readContract,
  simulateContract,
  version as wagmiVersion,
  waitForTransactionReceipt,
  watchContractEvent,
  writeContract,
} from '@wagmi/core'
import { defineChain, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import {
  counter,
  manyAddresses,
  privateKey,
  refusal,
  restartService,
  rpcUrl,
  spentUrl,
  step,
  until,
  version,
} from '../step.mjs'

version(wagmiVersion)
const chain = defineChain({
  id: 31,
  name: 'Rootstock Testnet',
  nativeCurrency: { name: 'Test Smart Bitcoin', symbol: 'tRBTC', decimals: 18 },
  rpcUrls: { default: { http: [rpcUrl] } },
})
const account = privateKeyToAccount(privateKey)
const configOf = (url) =>
  createConfig({ chains: [chain], transports: { 31: http(url) }, storage: null, pollingInterval: 200 })
const config = configOf(rpcUrl)
let contract
let receipt

const increase = (by, options) =>
  writeContract(config, { ...contract, account, functionName: 'increase', args: [by], ...options })
const count = (block) => readContract(config, { ...contract, functionName: 'count', ...block })

async function deploy(options) {
  const hash = await deployContract(config, { ...counter, account, args: [40n], ...options })
  const { contractAddress } = await waitForTransactionReceipt(config, { hash })
  contract = { abi: counter.abi, address: contractAddress }
  assert.equal(await count(), 40n)
}
async function send(options) {
  const hash = await increase(2n, options)
  receipt = await waitForTransactionReceipt(config, { hash, confirmations: 2 })
  assert.equal(receipt.status, 'success')
  assert.equal(await count(), 42n)
}
const legacy = { type: 'legacy' }

await step('deploys a contract', { '': deploy, "`type: 'legacy'`": () => deploy(legacy) })
await step('sends a transaction and waits', { '': send, "`type: 'legacy'`": () => send(legacy) })
await step('receives events by polling', {
  '': async () => {
    const counts = []
    const onLogs = (logs) => counts.push(...logs.map((log) => log.args.count))
    const stop = watchContractEvent(config, { ...contract, eventName: 'Increased', onLogs })
    for (const by of [1n, 2n]) await waitForTransactionReceipt(config, { hash: await increase(by, legacy) })
    await until(() => counts.length >= 2)
    stop()
    assert.deepEqual(counts, [43n, 45n])
  },
})
await step('reads logs', {
  '`getPublicClient`': async () => {
    const fromBlock = receipt.blockNumber
    const client = getPublicClient(config)
    const logs = await client.getContractEvents({ ...contract, eventName: 'Increased', fromBlock })
    assert.deepEqual(
      logs.map((log) => log.args.count),
      [42n, 43n, 45n],
    )
  },
})
await step('reads old state', {
  '': async () => {
    assert.equal(await count({ blockNumber: receipt.blockNumber - 1n }), 40n)
    assert.ok((await getBalance(config, { address: account.address, blockNumber: 1n })).value > 0n)
  },
})
await step('reads state by block hash', {
  '': async () => assert.equal(await count({ blockHash: receipt.blockHash }), 42n),
})
await step('shows the reason of a revert', {
  '': async () => {
    const call = { ...contract, functionName: 'increase', args: [0n], account }
    assert.match((await refusal(simulateContract(config, call))).message, /nothing to add/)
  },
})
await step('reads the pending block', {
  '': async () => assert.equal((await getBlock(config, { blockTag: 'pending' })).hash, null),
})
await step('receives events over a restart', {
  '': async () => {
    const before = await count()
    const counts = []
    const onLogs = (logs) => counts.push(...logs.map((log) => log.args.count))
    const stop = watchContractEvent(config, { ...contract, eventName: 'Increased', onLogs })
    for (const by of [1n, 2n]) {
      await waitForTransactionReceipt(config, { hash: await increase(by, legacy) })
      await until(() => counts.length >= Number(by))
      if (by === 1n) await restartService()
    }
    stop()
    assert.deepEqual(counts, [before + 1n, before + 3n])
  },
})
await step('reads 300 balances in one turn', {
  '`batch: true`': async () => {
    const transports = { 31: http(rpcUrl, { batch: true }) }
    const batches = createConfig({ chains: [chain], transports, storage: null })
    const balances = await Promise.all(manyAddresses.map((address) => getBalance(batches, { address })))
    assert.equal(balances.length, 300)
  },
})
await step('shows the limit of logs', {
  '`getPublicClient`': async () => {
    const error = await refusal(getPublicClient(config).getLogs({ fromBlock: 0n, toBlock: 'latest' }))
    assert.match(error.message, /more than 10000 results/)
  },
})
await step('shows a refused block tag', {
  '': async () =>
    assert.match((await refusal(getBlock(config, { blockTag: 'finalized' }))).message, /a tag: latest/),
})
await step('shows a spent daily limit', {
  '': async () => assert.match((await refusal(getBlockNumber(configOf(spentUrl)))).message, /limit is spent/),
})
