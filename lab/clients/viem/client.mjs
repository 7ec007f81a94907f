import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createPublicClient, createWalletClient, defineChain, http } from 'viem'
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

version(JSON.parse(readFileSync(new URL(import.meta.resolve('viem/package.json')), 'utf8')).version)
const chain = defineChain({
  id: 31,
  name: 'Rootstock Testnet',
  nativeCurrency: { name: 'Test Smart Bitcoin', symbol: 'tRBTC', decimals: 18 },
  rpcUrls: { default: { http: [rpcUrl] } },
})
const account = privateKeyToAccount(privateKey)
const client = createPublicClient({ chain, transport: http(), pollingInterval: 200 })
const wallet = createWalletClient({ account, chain, transport: http() })
let contract
let receipt

/** Calls `increase` and returns the hash. */
const increase = (by, options) =>
  wallet.writeContract({ ...contract, functionName: 'increase', args: [by], ...options })
const count = (block) => client.readContract({ ...contract, functionName: 'count', ...block })

/** Deploys a counter that starts at 40. */
async function deploy(options) {
  const hash = await wallet.deployContract({ ...counter, args: [40n], ...options })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  contract = { abi: counter.abi, address: contractAddress }
  assert.equal(await count(), 40n)
}
async function send(options) {
  receipt = await client.waitForTransactionReceipt({ hash: await increase(2n, options), confirmations: 2 })
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
    const stop = client.watchContractEvent({ ...contract, eventName: 'Increased', onLogs })
    for (const by of [1n, 2n]) await client.waitForTransactionReceipt({ hash: await increase(by, legacy) })
    await until(() => counts.length >= 2)
    stop()
    assert.deepEqual(counts, [43n, 45n])
  },
})
await step('reads logs', {
  '': async () => {
    const fromBlock = receipt.blockNumber
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
    assert.ok((await client.getBalance({ address: account.address, blockNumber: 1n })) > 0n)
  },
})
await step('reads state by block hash', {
  '': async () => assert.equal(await count({ blockHash: receipt.blockHash }), 42n),
})
await step('reads 300 balances in one turn', {
  '`batch: true`': async () => {
    const batches = createPublicClient({ chain, transport: http(rpcUrl, { batch: true }) })
    const balances = await Promise.all(manyAddresses.map((address) => batches.getBalance({ address })))
    assert.equal(balances.length, 300)
  },
})
await step('shows the reason of a revert', {
  '': async () => {
    const call = { ...contract, functionName: 'increase', args: [0n], account }
    assert.match((await refusal(client.simulateContract(call))).message, /nothing to add/)
  },
})
await step('reads the pending block', {
  '': async () => assert.equal((await client.getBlock({ blockTag: 'pending' })).hash, null),
})
await step('receives events over a restart', {
  '': async () => {
    const before = await count()
    const counts = []
    const onLogs = (logs) => counts.push(...logs.map((log) => log.args.count))
    const stop = client.watchContractEvent({ ...contract, eventName: 'Increased', onLogs })
    for (const by of [1n, 2n]) {
      await client.waitForTransactionReceipt({ hash: await increase(by, legacy) })
      await until(() => counts.length >= Number(by))
      if (by === 1n) await restartService()
    }
    stop()
    assert.deepEqual(counts, [before + 1n, before + 3n])
  },
})
await step('shows the limit of logs', {
  '': async () => {
    const error = await refusal(client.getLogs({ fromBlock: 0n, toBlock: 'latest' }))
    assert.match(error.message, /more than 10000 results/)
  },
})
await step('shows a refused block tag', {
  '': async () =>
    assert.match((await refusal(client.getBlock({ blockTag: 'finalized' }))).message, /a tag: latest/),
})
await step('shows a spent daily limit', {
  '': async () => {
    const spent = createPublicClient({ chain, transport: http(spentUrl) })
    assert.match((await refusal(spent.getBlockNumber())).message, /limit is spent/)
  },
})
