import assert from 'node:assert/strict'
import { Web3 } from 'web3'
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

version(Web3.version)
const web3 = new Web3(rpcUrl)
web3.eth.transactionPollingInterval = 200
const from = web3.eth.accounts.wallet.add(privateKey)[0].address
let contract
let receipt

async function deploy(options) {
  const deployment = new web3.eth.Contract(counter.abi).deploy({ data: counter.bytecode, arguments: [40] })
  contract = await deployment.send({ from, ...options })
  assert.equal(await contract.methods.count().call(), 40n)
}
async function send(options) {
  receipt = await contract.methods.increase(2).send({ from, ...options })
  assert.equal(receipt.status, 1n)
  assert.equal(await contract.methods.count().call(), 42n)
}
const gasPrice = `${await web3.eth.getGasPrice()}`

await step('deploys a contract', { '': deploy, '`gasPrice`': () => deploy({ gasPrice }) })
await step('sends a transaction and waits', { '': send, '`gasPrice`': () => send({ gasPrice }) })
await step('receives events by polling', {
  '': async () => {
    const counts = []
    const events = contract.events.Increased()
    events.on('data', (event) => counts.push(event.returnValues.count))
    await new Promise((_resolve, reject) => events.on('error', reject))
  },
  '`getPastEvents` in a loop, because subscriptions need a WebSocket': async () => {
    const fromBlock = receipt.blockNumber + 1n
    for (const by of [1, 2]) await contract.methods.increase(by).send({ from, gasPrice })
    const events = await until(async () => {
      const found = await contract.getPastEvents('Increased', { fromBlock })
      return found.length >= 2 && found
    })
    assert.deepEqual(
      events.map((event) => event.returnValues.count),
      [43n, 45n],
    )
  },
})
await step('reads logs', {
  '': async () => {
    const logs = await contract.getPastEvents('Increased', { fromBlock: receipt.blockNumber })
    assert.deepEqual(
      logs.map((log) => log.returnValues.count),
      [42n, 43n, 45n],
    )
  },
})
await step('reads old state', {
  '': async () => {
    assert.equal(await contract.methods.count().call({}, receipt.blockNumber - 1n), 40n)
    assert.ok((await web3.eth.getBalance(from, 1)) > 0n)
  },
})
await step('reads state by block hash', {
  '': async () => {
    // web3.js leaves out a leading zero of the hash, and no node knows the rest.
    const events = await contract.getPastEvents('Increased', { fromBlock: receipt.blockNumber })
    const { blockHash, returnValues } = events.find((event) => !event.blockHash.startsWith('0x0'))
    assert.equal(await contract.methods.count().call({}, blockHash), returnValues.count)
  },
})
await step('reads 300 balances in one turn', {
  '`BatchRequest`': async () => {
    const batch = new web3.BatchRequest()
    const balances = manyAddresses.map((address) =>
      batch.add({ method: 'eth_getBalance', params: [address, 'latest'] }),
    )
    await batch.execute({ timeout: 60_000 })
    assert.equal((await Promise.all(balances)).length, 300)
  },
})
await step('shows the reason of a revert', {
  '': async () => {
    const error = await refusal(contract.methods.increase(0).call({ from }))
    assert.match(`${error.reason} ${error.message} ${error.cause?.message}`, /nothing to add/)
  },
})
await step('reads the pending block', {
  '': async () => assert.ok(await web3.eth.getBlock('pending')),
})
await step('receives events over a restart', {
  '`getPastEvents` in a loop': async () => {
    const before = BigInt(await contract.methods.count().call())
    const fromBlock = BigInt(await web3.eth.getBlockNumber()) + 1n
    for (const by of [1, 2]) {
      await contract.methods.increase(by).send({ from, gasPrice })
      if (by === 1) await restartService()
    }
    const events = await until(async () => {
      const found = await contract.getPastEvents('Increased', { fromBlock })
      return found.length >= 2 && found
    })
    assert.deepEqual(
      events.map((event) => event.returnValues.count),
      [before + 1n, before + 3n],
    )
  },
})
await step('shows the limit of logs', {
  '': async () => {
    const error = await refusal(web3.eth.getPastLogs({ fromBlock: 0, toBlock: 'latest' }))
    assert.match(`${error.message} ${error.cause?.message}`, /more than 10000 results/)
  },
})
await step('shows a refused block tag', {
  '': async () => {
    const error = await refusal(web3.eth.getBlock('finalized'))
    assert.match(`${error.message} ${error.cause?.message}`, /a tag: latest/)
  },
})
await step('shows a spent daily limit', {
  '': async () => {
    const error = await refusal(new Web3(spentUrl).eth.getBlockNumber())
    assert.match(`${error}`, /limit is spent/)
  },
})
process.exit()
