import type { JsonValue } from '../../src/runtime/rpc/index.js'
import { createAnvilClient } from '../../src/service/gateway/dev-chain/anvil/anvil-client.js'
import { seedChain } from '../../src/service/gateway/dev-chain/seed/seed.js'

/** Replacements for anvil's calls. Calls without an entry are skipped. */
export type SeedCalls = Readonly<
  Record<string, (...params: JsonValue[]) => readonly [string, ...JsonValue[]]>
>

/** Hardhat's calls for mining on demand. Seeding starts with anvil's log. */
export const hardhatCalls: SeedCalls = {
  anvil_setLoggingEnabled: () => ['evm_setAutomine', false],
  anvil_mine: (blocks) => ['hardhat_mine', blocks ?? '0x1'],
  evm_setAutomine: (on) => ['evm_setAutomine', on ?? true],
}

/** Ganache's calls for mining on demand. */
export const ganacheCalls: SeedCalls = {
  anvil_setLoggingEnabled: () => ['miner_stop'],
  anvil_mine: (blocks) => ['evm_mine', { blocks: Number(blocks) }],
  evm_setAutomine: () => ['miner_start'],
}

/**
 * Seeds another node with the blocks, transactions and logs of the embedded chains. The node has the development
 * accounts and no blocks.
 * @param url of the node
 * @param calls replacements for anvil's methods
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
