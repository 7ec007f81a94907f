/** The steps that ethers 6 and programs that contain it share. It is copied beside the folder of each program. */
import assert from 'node:assert/strict'
import { manyAddresses, refusal, restartService, step, until } from './step.mjs'

/**
 * Between transactions, a program waits for two blocks. ethers reuses a nonce that it has read for 250 ms, even if the
 * transaction was mined meanwhile.
 */
export const confirmations = 2

/**
 * Calls a new `Counter` that began with 40, and reads what it did.
 * @param contract the contract, with a signer
 * @param provider the provider of the signer
 * @param address the address of the signer
 */
export async function ethersSteps(contract, provider, address) {
  const increase = async (by) => (await contract.increase(by)).wait(confirmations)
  // ethers delivers an event twice if a block arrives before the logs of the previous block.
  const counts = new Set()
  const listen = () => contract.on('Increased', (_by, count) => counts.add(count))
  let receipt
  await step('sends a transaction and waits', {
    '': async () => {
      receipt = await increase(2n)
      assert.equal(receipt.status, 1)
      assert.equal(await contract.count(), 42n)
    },
  })
  await step('receives events by polling', {
    '': async () => {
      await listen()
      for (const by of [1n, 2n]) await increase(by)
      await until(() => counts.size >= 2)
      await contract.removeAllListeners()
      assert.deepEqual([...counts], [43n, 45n])
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
      assert.ok((await provider.getBalance(address, 1)) > 0n)
    },
  })
  await step('reads state by block hash', {
    '': async () => assert.equal(await contract.count({ blockTag: receipt.blockHash }), 42n),
  })
  await step('reads 300 balances in one turn', {
    '': async () => {
      const balances = await Promise.all(manyAddresses.map((many) => provider.getBalance(many)))
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
      counts.clear()
      await listen()
      for (const by of [1n, 2n]) {
        await increase(by)
        await until(() => counts.size >= Number(by))
        if (by === 1n) await restartService()
      }
      await contract.removeAllListeners()
      assert.deepEqual([...counts], [46n, 48n])
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
}
