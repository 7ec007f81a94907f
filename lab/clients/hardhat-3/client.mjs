import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import hre from 'hardhat'
import {
  counter,
  manyAddresses,
  messagesOf,
  refusal,
  restartService,
  step,
  until,
  version,
} from '../step.mjs'

version(JSON.parse(readFileSync('node_modules/hardhat/package.json', 'utf8')).version)
const { ethers } = await hre.network.connect('service')
const { provider } = ethers
const [signer] = await ethers.getSigners()
let contract
let receipt

await step('compiles with `solc` of npm', { '': () => hre.tasks.getTask('build').run({ quiet: true }) })
await step('deploys a contract', {
  '': async () => {
    contract = await ethers.deployContract('Counter', [40n])
    await contract.waitForDeployment()
    assert.equal(await contract.count(), 40n)
  },
  '`ContractFactory`': async () => {
    contract = await new ethers.ContractFactory(counter.abi, counter.bytecode, signer).deploy(40n)
    await contract.waitForDeployment()
    assert.equal(await contract.count(), 40n)
  },
})
await step('sends a transaction and waits', {
  '': async () => {
    receipt = await (await contract.increase(2n)).wait(2)
    assert.equal(receipt.status, 1)
    assert.equal(await contract.count(), 42n)
  },
})
await step('receives events by polling', {
  '': async () => {
    const counts = new Set()
    await contract.on('Increased', (_by, count) => counts.add(count))
    for (const by of [1n, 2n]) await (await contract.increase(by)).wait()
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
    assert.ok((await provider.getBalance(signer.address, 1)) > 0n)
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
  '': async () => assert.match((await refusal(contract.increase.staticCall(0n))).message, /nothing to add/),
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
      await (await contract.increase(by)).wait()
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
await step(
  'shows a spent daily limit',
  {
    '': async () => {
      const spent = await hre.network.connect('spent')
      assert.match(messagesOf(await refusal(spent.ethers.provider.getBlockNumber())), /limit is spent/)
    },
  },
  { pattern: /Limit exceeded/, why: 'it shows "Limit exceeded" only' },
)
process.exit()
