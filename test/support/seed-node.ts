import { createAnvilClient } from '../../src/gateway/dev-chain/anvil-client.js'
import { seedChain } from '../../src/gateway/dev-chain/seed.js'
import type { JsonValue } from '../../src/rpc/index.js'

/** What a node is asked in place of a call of anvil's; a call that has none here is left out. */
export type SeedCalls = Readonly<
  Record<string, (...params: JsonValue[]) => readonly [string, ...JsonValue[]]>
>

/** How Hardhat's node mines on demand: seeding begins with anvil's log. */
export const hardhatCalls: SeedCalls = {
  anvil_setLoggingEnabled: () => ['evm_setAutomine', false],
  anvil_mine: (blocks) => ['hardhat_mine', blocks ?? '0x1'],
  evm_setAutomine: (on) => ['evm_setAutomine', on ?? true],
}

/** How ganache does. */
export const ganacheCalls: SeedCalls = {
  anvil_setLoggingEnabled: () => ['miner_stop'],
  anvil_mine: (blocks) => ['evm_mine', { blocks: Number(blocks) }],
  evm_setAutomine: () => ['miner_start'],
}

/**
 * Seeds a node that is no anvil with the blocks, transactions and logs of the embedded chains. Its accounts are the
 * development accounts, and it has no blocks yet.
 * @param url where it answers
 * @param calls what it has in place of anvil's methods
 */
export async function seedNode(url: string, calls: SeedCalls): Promise<void> {
  const client = createAnvilClient(url)
  const own = /^(anvil|evm)_/
  try {
    await seedChain({
      async call(method, ...params) {
        if (!own.test(method)) return client.call(method, ...params)
        const instead = calls[method]?.(...params)
        return instead === undefined ? null : client.call(...instead)
      },
      close: () => client.close(),
    })
  } finally {
    await client.close()
  }
}
