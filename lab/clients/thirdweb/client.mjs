import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import {
  createThirdwebClient,
  defineChain,
  eth_blockNumber,
  eth_call,
  eth_getBalance,
  eth_getBlockByNumber,
  eth_getLogs,
  getContract,
  getContractEvents,
  getRpcClient,
  prepareContractCall,
  prepareEvent,
  readContract,
  sendAndConfirmTransaction,
  watchContractEvents,
} from 'thirdweb'
import { deployContract } from 'thirdweb/deploys'
import { encode } from 'thirdweb/transaction'
import { privateKeyToAccount } from 'thirdweb/wallets'
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

version(JSON.parse(readFileSync('node_modules/thirdweb/package.json', 'utf8')).version)
const client = createThirdwebClient({ clientId: 'counter' })
const chain = defineChain({ id: 31, rpc: rpcUrl })
const account = privateKeyToAccount({ client, privateKey })
const rpc = getRpcClient({ client, chain })
const event = prepareEvent({ signature: 'event Increased(address indexed by, uint256 count)' })
let contract
let receipt

const count = () => readContract({ contract, method: 'count' })
const increase = (by) => prepareContractCall({ contract, method: 'increase', params: [by] })
const send = (by) => sendAndConfirmTransaction({ account, transaction: increase(by) })
const counts = (events) => events.map(({ args }) => args.count)

await step('deploys a contract', {
  '': async () => {
    const { abi, bytecode } = counter
    const constructorParams = Object.fromEntries(
      abi.find(({ type }) => type === 'constructor').inputs.map(({ name }) => [name, 40n]),
    )
    const address = await deployContract({ client, chain, account, abi, bytecode, constructorParams })
    contract = getContract({ client, chain, address, abi })
    assert.equal(await count(), 40n)
  },
})
await step('sends a transaction and waits', {
  '': async () => {
    receipt = await send(2n)
    await until(async () => (await eth_blockNumber(rpc)) > receipt.blockNumber)
    assert.equal(receipt.status, 'success')
    assert.equal(await count(), 42n)
  },
})
await step('receives events by polling', {
  '': async () => {
    const found = []
    const stop = watchContractEvents({
      contract,
      events: [event],
      onEvents: (events) => found.push(...counts(events)),
    })
    for (const by of [1n, 2n]) await send(by)
    await until(() => found.length >= 2)
    stop()
    assert.deepEqual(found, [43n, 45n])
  },
})
await step('reads logs', {
  '`useIndexer: false`, because it asks an indexer of thirdweb first': async () => {
    const range = { fromBlock: receipt.blockNumber, useIndexer: false }
    const events = await getContractEvents({ contract, events: [event], ...range })
    assert.deepEqual(counts(events), [42n, 43n, 45n])
  },
})
await step('reads old state', {
  '': async () => assert.ok((await eth_getBalance(rpc, { address: account.address, blockNumber: 1n })) > 0n),
})
await step('reads state by block hash', {
  '`request`, because its functions take numbers and tags': async () => {
    const data = await encode(prepareContractCall({ contract, method: 'count' }))
    const block = { blockHash: receipt.blockHash }
    const result = await rpc({ method: 'eth_call', params: [{ to: contract.address, data }, block] })
    assert.equal(BigInt(result), 42n)
  },
})
await step('reads 300 balances in one turn', {
  '': async () => {
    const balances = await Promise.all(manyAddresses.map((address) => eth_getBalance(rpc, { address })))
    assert.equal(balances.length, 300)
  },
})
await step('shows the reason of a revert', {
  '': async () => {
    const data = await encode(increase(0n))
    const error = await refusal(eth_call(rpc, { to: contract.address, data, from: account.address }))
    assert.match(`${error.message} ${JSON.stringify(error)}`, /nothing to add/)
  },
})
await step('reads the pending block', {
  '': async () => assert.ok((await eth_getBlockByNumber(rpc, { blockTag: 'pending' })).parentHash),
})
await step('receives events over a restart', {
  '': async () => {
    const before = await count()
    const found = []
    const onEvents = (events) => found.push(...counts(events))
    const stop = watchContractEvents({ contract, events: [event], onEvents })
    for (const by of [1n, 2n]) {
      await send(by)
      await until(() => found.length >= Number(by))
      if (by === 1n) await restartService()
    }
    stop()
    assert.deepEqual(found, [before + 1n, before + 3n])
  },
})
await step('shows the limit of logs', {
  '': async () => {
    const error = await refusal(eth_getLogs(rpc, { fromBlock: 1n, toBlock: 'latest' }))
    assert.match(error.message, /more than 10000 results/)
  },
})
await step('shows a refused block tag', {
  '': async () =>
    assert.match(
      (await refusal(eth_getBlockByNumber(rpc, { blockTag: 'finalized' }))).message,
      /a tag: latest/,
    ),
})
await step('shows a spent daily limit', {
  '': async () => {
    const spent = getRpcClient({ client, chain: defineChain({ id: 31, rpc: spentUrl }) })
    assert.match((await refusal(eth_blockNumber(spent))).message, /limit is spent/)
  },
})
process.exit()
