import assert from 'node:assert/strict'
import { ethers, version as ethersVersion } from 'ethers'
import { confirmations, ethersSteps } from '../ethers-steps.mjs'
import { counter, privateKey, refusal, rpcUrl, spentUrl, step, version } from '../step.mjs'

version(ethersVersion)
const provider = new ethers.JsonRpcProvider(rpcUrl)
provider.pollingInterval = 200
const wallet = new ethers.Wallet(privateKey, provider)
let contract

await step('deploys a contract', {
  '': async () => {
    contract = await new ethers.ContractFactory(counter.abi, counter.bytecode, wallet).deploy(40n)
    await contract.deploymentTransaction().wait(confirmations)
    assert.equal(await contract.count(), 40n)
  },
})
await ethersSteps(contract, provider, wallet.address)
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
