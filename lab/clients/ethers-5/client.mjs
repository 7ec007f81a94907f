import assert from 'node:assert/strict'
import { ethers } from 'ethers'
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

version(ethers.version.replace('ethers/', ''))
const provider = new ethers.providers.JsonRpcProvider(rpcUrl)
provider.pollingInterval = 200
const wallet = new ethers.Wallet(privateKey, provider)
const numbers = (values) => values.map(Number)
let contract
let receipt

await step('deploys a contract', {
  '': async () => {
    contract = await new ethers.ContractFactory(counter.abi, counter.bytecode, wallet).deploy(40)
    await contract.deployed()
    assert.equal(Number(await contract.count()), 40)
  },
})
await step('sends a transaction and waits', {
  '': async () => {
    receipt = await (await contract.increase(2)).wait(2)
    assert.equal(receipt.status, 1)
    assert.equal(Number(await contract.count()), 42)
  },
})
await step('receives events by polling', {
  '': async () => {
    const counts = new Set()
    contract.on('Increased', (_by, count) => counts.add(Number(count)))
    for (const by of [1, 2]) await (await contract.increase(by)).wait()
    await until(() => counts.size >= 2)
    assert.deepEqual([...counts], [43, 45])
    contract.removeAllListeners()
  },
})
await step('reads logs', {
  '': async () => {
    const logs = await contract.queryFilter('Increased', receipt.blockNumber, 'latest')
    assert.deepEqual(numbers(logs.map((log) => log.args.count)), [42, 43, 45])
  },
})
await step('reads old state', {
  '': async () => {
    assert.equal(Number(await contract.count({ blockTag: receipt.blockNumber - 1 })), 40)
    assert.ok((await provider.getBalance(wallet.address, 1)).gt(0))
  },
})
await step('reads state by block hash', {
  '': async () => assert.equal(Number(await contract.count({ blockTag: receipt.blockHash })), 42),
})
await step('reads 300 balances in one turn', {
  '`JsonRpcBatchProvider`': async () => {
    const batches = new ethers.providers.JsonRpcBatchProvider(rpcUrl, 31)
    const balances = await Promise.all(manyAddresses.map((address) => batches.getBalance(address)))
    assert.equal(balances.length, 300)
  },
})
await step('shows the reason of a revert', {
  '': async () => {
    const error = await refusal(contract.callStatic.increase(0))
    assert.match(`${error.reason} ${error.errorArgs}`, /nothing to add/)
  },
})
await step(
  'reads the pending block',
  { '': async () => assert.ok(await provider.getBlock('pending')) },
  {
    pattern: /invalid BigNumber value/,
    why: 'it requires a number, which a pending block of Rootstock lacks',
  },
)
await step('receives events over a restart', {
  '': async () => {
    const before = Number(await contract.count())
    const counts = new Set()
    contract.on('Increased', (_by, count) => counts.add(Number(count)))
    for (const by of [1, 2]) {
      await (await contract.increase(by)).wait()
      await until(() => counts.size >= by)
      if (by === 1) await restartService()
    }
    contract.removeAllListeners()
    assert.deepEqual([...counts], [before + 1, before + 3])
  },
})
await step('shows the limit of logs', {
  '': async () => {
    const error = await refusal(provider.getLogs({ fromBlock: 0, toBlock: 'latest' }))
    assert.match(error.message, /more than 10000 results/)
  },
})
await step('shows a refused block tag', {
  '': async () => assert.match((await refusal(provider.getBlock('finalized'))).message, /a tag: latest/),
})
// Without the option, ethers repeats a call up to 12 times after HTTP 429, which takes minutes.
await step(
  'shows a spent daily limit',
  {
    '`throttleLimit: 1`, and `StaticJsonRpcProvider`': async () => {
      const connection = { url: spentUrl, throttleLimit: 1 }
      const spent = new ethers.providers.StaticJsonRpcProvider(connection, 31)
      assert.match((await refusal(spent.getBlockNumber())).message, /limit is spent/)
    },
  },
  {
    pattern: /failed response/,
    why: 'it repeats the call for minutes, and then shows "failed response" only',
  },
)
process.exit()
