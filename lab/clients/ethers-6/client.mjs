import assert from 'node:assert/strict'
import { ethers, version as ethersVersion } from 'ethers'
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

version(ethersVersion)
const provider = new ethers.JsonRpcProvider(rpcUrl)
provider.pollingInterval = 200
// Between transactions, this program waits for two blocks: ethers uses the nonce that it asked for again for 250 ms, also
// after the transaction was mined.
const confirmations = 2
const wallet = new ethers.Wallet(privateKey, provider)
let contract
let receipt

await step('deploys a contract', {
  '': async () => {
    contract = await new ethers.ContractFactory(counter.abi, counter.bytecode, wallet).deploy(40n)
    await contract.deploymentTransaction().wait(confirmations)
    assert.equal(await contract.count(), 40n)
  },
})
await step('sends a transaction and waits', {
  '': async () => {
    receipt = await (await contract.increase(2n)).wait(confirmations)
    assert.equal(receipt.status, 1)
    assert.equal(await contract.count(), 42n)
  },
})
await step('receives events by polling', {
  '': async () => {
    // ethers delivers an event twice when a block arrives before the logs of the one before were answered.
    const counts = new Set()
    await contract.on('Increased', (_by, count) => counts.add(count))
    for (const by of [1n, 2n]) await (await contract.increase(by)).wait(confirmations)
    await until(() => counts.size >= 2)
    assert.deepEqual([...counts], [43n, 45n])
    await contract.removeAllListeners()
  },
})
await step('reads logs', {
  '': async () => {
    const logs = await contract.queryFilter('Increased', receipt.blockNumber, 'latest')
    assert.deepEqual(
      logs.map((log) => log.args.count),
      [42n, 43n, 45n],
    )
  },
})
await step('reads old state', {
  '': async () => {
    assert.equal(await contract.count({ blockTag: receipt.blockNumber - 1 }), 40n)
    assert.ok((await provider.getBalance(wallet.address, 1)) > 0n)
  },
})
await step('reads state by block hash', {
  '': async () => assert.equal(await contract.count({ blockTag: receipt.blockHash }), 42n),
})
await step('reads 300 balances in one turn', {
  '': async () => {
    const balances = await Promise.all(manyAddresses.map((address) => provider.getBalance(address)))
    assert.equal(balances.length, 300)
  },
})
await step('shows the reason of a revert', {
  '': async () => assert.equal((await refusal(contract.increase.staticCall(0n))).reason, 'nothing to add'),
})
await step(
  'reads the pending block',
  { '': async () => assert.ok(await provider.getBlock('pending')) },
  { pattern: /value\.number/, why: 'it requires a number, which a pending block of Rootstock lacks' },
)
await step('receives events over a restart', {
  '': async () => {
    const before = await contract.count()
    const counts = new Set()
    await contract.on('Increased', (_by, count) => counts.add(count))
    for (const by of [1n, 2n]) {
      await (await contract.increase(by)).wait(confirmations)
      await until(() => counts.size >= Number(by))
      if (by === 1n) await restartService()
    }
    await contract.removeAllListeners()
    assert.deepEqual([...counts], [before + 1n, before + 3n])
  },
})
await step('shows the limit of logs', {
  '': async () => {
    const error = await refusal(provider.getLogs({ fromBlock: 0, toBlock: 'latest' }))
    assert.match(error.message, /more than 10000 results/)
  },
})
await step('shows a refused block tag', {
  '': async () => assert.match((await refusal(provider.getBlock('finalized'))).message, /latest/),
})
// Without the option, ethers repeats a call up to 12 times after HTTP 429, which takes minutes.
await step('shows a spent daily limit', {
  '`setThrottleParams({ maxAttempts: 1 })` of its `FetchRequest`, and `staticNetwork`': async () => {
    const request = new ethers.FetchRequest(spentUrl)
    request.setThrottleParams({ maxAttempts: 1 })
    const spent = new ethers.JsonRpcProvider(request, 31, { staticNetwork: true })
    assert.match((await refusal(spent.getBlockNumber())).message, /limit is spent/)
  },
})
process.exit()
