import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { buildModule } from '@nomicfoundation/hardhat-ignition/modules'
import { manyAddresses, refusal, restartService, step, until, version } from '../step.mjs'

process.env.HARDHAT_NETWORK = 'service'
process.env.HARDHAT_DISABLE_TELEMETRY_PROMPT = 'true'
const require = createRequire(import.meta.url)
const hre = require('hardhat')
const { anyValue } = require('@nomicfoundation/hardhat-chai-matchers/withArgs')
const { expect } = require('chai')
const { ethers, ignition } = hre
const { provider } = ethers

version(require('hardhat/package.json').version)
const [signer] = await ethers.getSigners()
const receiver = '0x00000000000000000000000000000000c0ffee01'
let contract
let receipt

await step('compiles with `solc` of npm', { '': () => hre.run('compile', { quiet: true }) })
// Ignition refuses an account whose latest transactions have fewer than five confirmations.
await step('deploys with Ignition', {
  '': async () => {
    const module = buildModule('Counters', (builder) => {
      const counter = builder.contract('Counter', [1n])
      builder.call(counter, 'increase', [2n])
      return { counter }
    })
    const { counter } = await ignition.deploy(module)
    assert.equal(await counter.count(), 3n)
  },
})
await step('deploys a contract', {
  '': async () => {
    contract = await ethers.deployContract('Counter', [40n])
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
await step('shows the reason of a revert', {
  '': async () => assert.match((await refusal(contract.increase.staticCall(0n))).message, /nothing to add/),
})
// The matchers read the receipt at once, so the transaction must be mined before. The estimate of a call that reverts is
// a number, so the transaction is sent.
const settled = () =>
  until(async () => {
    const [pending, latest] = await Promise.all([signer.getNonce('pending'), signer.getNonce('latest')])
    return pending === latest
  })
async function expects(name, send, expectation, limit) {
  await settled()
  const waits = async () => {
    await settled()
    const sent = await send()
    await until(() => provider.getTransactionReceipt(sent.hash))
    await expectation(sent)
  }
  await step(name, { '': () => expectation(send()), 'a wait for the receipt before': waits }, limit)
}
await expects(
  'expects an event (`emit`)',
  () => contract.increase(1n),
  (sent) => expect(sent).to.emit(contract, 'Increased').withArgs(signer.address, anyValue),
)
await expects(
  'expects changed balances (`changeEtherBalance`)',
  () => signer.sendTransaction({ to: receiver, value: 5n }),
  (sent) => expect(sent).to.changeEtherBalance(receiver, 5n),
  {
    pattern: /Multiple transactions found in block/,
    why: "it requires the only transaction of a block, and Rootstock's blocks end with one of the network",
  },
)
await expects(
  'expects a reverted transaction (`reverted`)',
  () => contract.increase(0n),
  (sent) => expect(sent).to.be.reverted,
)
await step('expects the reason of a revert (`revertedWith`)', {
  '': () => expect(contract.increase(0n)).to.be.revertedWith('nothing to add'),
  '`staticCall`': () => expect(contract.increase.staticCall(0n)).to.be.revertedWith('nothing to add'),
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
await step('reads 300 balances in one turn', {
  '': async () => {
    const balances = await Promise.all(manyAddresses.map((address) => provider.getBalance(address)))
    assert.equal(balances.length, 300)
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
      const args = ['node_modules/hardhat/internal/cli/cli.js', 'run', '--no-compile', '--network', 'spent']
      const { stdout } = await promisify(execFile)(process.execPath, [...args, 'block-number.cjs'])
      assert.match(stdout, /limit is spent/)
    },
  },
  { pattern: /Too Many Requests/, why: 'after HTTP 429 it shows "Too Many Requests" only' },
)
process.exit()
