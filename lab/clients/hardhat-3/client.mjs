import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import hre from 'hardhat'
import { ethersSteps } from '../ethers-steps.mjs'
import { counter, messagesOf, refusal, step, version } from '../step.mjs'

version(JSON.parse(readFileSync('node_modules/hardhat/package.json', 'utf8')).version)
const { ethers } = await hre.network.connect('service')
const [signer] = await ethers.getSigners()
let contract

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
await ethersSteps(contract, ethers.provider, signer.address)
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
