import { fileURLToPath } from 'node:url'
import { developmentAccounts } from '../../test/support/development-chain.js'
import { awayFromMidnight } from '../../test/support/midnight.js'
import { post, startService } from '../../test/support/service.js'

/** What a program reads from its environment. */
export interface ProgramSettings {
  /** The URL of a key of the test network. */
  readonly RPC_URL: string
  /** The URL of a key whose daily limit is spent. */
  readonly SPENT_URL: string
  /** A funded account that no other program uses at the same time. */
  readonly PRIVATE_KEY: string
  /** A JSON file with the ABI and the bytecode of `examples/integrator/counter.sol`. */
  readonly CONTRACT: string
}

/** Starts a service that mines one block a second, and one whose daily limit is spent. */
export async function startServices() {
  await awayFromMidnight()
  const [service, spent] = await Promise.all([
    startService({ args: ['--network', 'test', '--block-seconds', '1'] }),
    startService({ isChainless: true, env: { CONCORDAT_LIMIT_REQUESTS_PER_DAY: '1' } }),
  ])
  await post(spent.networks.test.url, { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  return {
    /** The settings of the program with this number; they repeat after ten programs. */
    settings: (program: number): ProgramSettings => ({
      RPC_URL: service.networks.test.url,
      SPENT_URL: spent.networks.test.url,
      PRIVATE_KEY: developmentAccounts[program % developmentAccounts.length]?.privateKey ?? '',
      CONTRACT: fileURLToPath(new URL('../../test/fixtures/counter/counter.json', import.meta.url)),
    }),
    async stop() {
      await Promise.all([service.stop(), spent.stop()])
    },
  }
}
