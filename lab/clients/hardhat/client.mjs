import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { buildModule } from '@nomicfoundation/hardhat-ignition/modules'
import { ethersSteps } from '../ethers-steps.mjs'
import { step, until, version } from '../step.mjs'

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
await step('deploys by scripts (`hardhat-deploy`)', {
  '': async () => {
    await hre.deployments.run('Counter', { deletePreviousDeployments: true })
    assert.equal(Number(await hre.deployments.read('Counter', 'count')), 3)
  },
})
await step('deploys a contract', {
  '': async () => {
    contract = await ethers.deployContract('Counter', [40n])
    await contract.waitForDeployment()
    assert.equal(await contract.count(), 40n)
  },
})
await ethersSteps(contract, provider, signer.address)
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
