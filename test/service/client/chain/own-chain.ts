import type { Test } from 'tap'
import { startAnvilNode, startChain } from '../../../support/anvil-node.js'
import { seedContractCall, seedContractCode } from '../../../support/development-chain.js'
import { freePort } from '../../../support/free-port.js'
import { call, startService } from '../../../support/service.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { until } from '../../../support/until.js'

const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** A service before an anvil whose blocks the test mines and reverts. */
export async function startOwnChain(t: Pick<Test, 'teardown'>) {
  const anvil = await startChain('--prune-history', '192')
  const node = await startAnvilNode(anvil)
  const [data, port] = [await temporaryFolder(t), await freePort()]
  const start = () =>
    startService({
      ...{ isChainless: true, data, args: ['--port', `${port}`] },
      env: { CONCORDAT_NODES_TEST: node.settings().url },
    })
  let service = await start()
  t.teardown(async () => {
    await service.stop()
    await node.close()
    await anvil.stop()
  })
  /** Sends a transaction and waits until it is mined, in a block of its own. */
  const send = async (transaction: Readonly<Record<string, string>>) => {
    const sent = await anvil.ask('eth_sendTransaction', { from: sender, gas: '0x1000000', ...transaction })
    return until(() => anvil.ask('eth_getTransactionReceipt', sent))
  }
  const receipt = (await send({ data: seedContractCode })) as { readonly contractAddress: `0x${string}` }
  let emitted = 0
  return {
    anvil,
    node,
    service,
    send,
    /** Stops the service, calls `between`, and starts the service again with its keys and at its port. */
    async restart(between: () => Promise<unknown>) {
      await service.stop()
      await between()
      service = await start()
    },
    url: service.networks.test.url,
    contract: receipt.contractAddress,
    /** Mines a block with this number of logs. */
    async emit(count: number) {
      await send({ to: receipt.contractAddress, data: seedContractCall('emitLogs', emitted, count) })
      emitted += count
    },
    /** Mines empty blocks. */
    mine: (blocks: number) => anvil.ask('anvil_mine', `0x${blocks.toString(16)}`),
    /** Returns a function that removes all blocks mined since. */
    async snapshot() {
      const id = await anvil.ask('evm_snapshot')
      return () => anvil.ask('evm_revert', id)
    },
    /** The number and the hash of the latest block, once the service has it. */
    async head() {
      type Head = { readonly number: `0x${string}`; readonly hash: `0x${string}` }
      const read = async (source: Promise<unknown>) => (await source) as Head
      const own = await read(anvil.ask('eth_getBlockByNumber', 'latest', false))
      await until(async () => {
        const served = await read(call(service.networks.test.url, 'eth_getBlockByNumber', 'latest', false))
        return served.hash === own.hash
      })
      return own
    },
  }
}

/** Reads an iterator until a condition holds; returns the items. It can be called again for the next items. */
export async function readUntil<Item>(
  items: AsyncIterator<Item>,
  isLast: (item: Item) => boolean,
): Promise<readonly Item[]> {
  const read: Item[] = []
  for (;;) {
    const { value, done } = await items.next()
    if (done) throw new TypeError(`ended after ${JSON.stringify(read).slice(0, 500)}`)
    read.push(value)
    if (isLast(value)) return read
  }
}

/** The error with which a promise rejects. */
export const caught = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => undefined,
    (error: unknown) => error,
  )
