import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { developmentAccounts } from '../../test/support/development-chain.js'
import { freePort } from '../../test/support/free-port.js'
import { awayFromMidnight } from '../../test/support/midnight.js'
import { post, startService } from '../../test/support/service.js'

/** What a program reads from its environment. */
export interface ProgramSettings {
  /** The URL of a key of the test network. */
  readonly RPC_URL: string
  /** The URL of a key whose daily limit is spent. */
  readonly SPENT_URL: string
  /** A POST to this URL stops the service and starts it again, and is answered once it is ready. */
  readonly RESTART_URL: string
  /** A funded account that no other program uses at the same time. */
  readonly PRIVATE_KEY: string
  /** A JSON file with the ABI and the bytecode of `examples/integrator/counter.sol`. */
  readonly CONTRACT: string
}

/** Starts a service that mines one block a second and can be restarted, and one whose daily limit is spent. */
export async function startServices() {
  await awayFromMidnight()
  const data = await mkdtemp(join(tmpdir(), 'concordat-clients-'))
  const port = await freePort()
  const start = () =>
    startService({ data, args: ['--network', 'test', '--block-seconds', '1', '--port', `${port}`] })
  const [first, spent] = await Promise.all([
    start(),
    startService({ isChainless: true, env: { CONCORDAT_LIMIT_REQUESTS_PER_DAY: '1' } }),
  ])
  let service = first
  await post(spent.networks.test.url, { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const restarts = createServer(async (_request, response) => {
    await service.stop()
    service = await start()
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(restarts, 'listening')
  return {
    /** The settings of the program with this number; they repeat after ten programs. */
    settings: (program: number): ProgramSettings => ({
      RPC_URL: service.networks.test.url,
      SPENT_URL: spent.networks.test.url,
      RESTART_URL: `http://127.0.0.1:${(restarts.address() as AddressInfo).port}/`,
      PRIVATE_KEY: developmentAccounts[program % developmentAccounts.length]?.privateKey ?? '',
      CONTRACT: fileURLToPath(new URL('../../test/fixtures/counter/counter.json', import.meta.url)),
    }),
    async stop() {
      restarts.close()
      await Promise.all([service.stop(), spent.stop()])
      await rm(data, { recursive: true, force: true })
    },
  }
}
