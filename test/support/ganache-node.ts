import { fileURLToPath } from 'node:url'
import { developmentAccounts } from '../../src/service/gateway/index.js'
import { freePort } from './free-port.js'
import { startListening } from './listening-program.js'

/** A running ganache process. */
export interface GanacheNode {
  readonly url: string
  /** Ends ganache; resolves when it has exited. */
  stop(): Promise<void>
}

const command = fileURLToPath(new URL('../../node_modules/ganache/dist/node/cli.js', import.meta.url))
const mnemonic = 'test test test test test test test test test test test junk'

/** Starts ganache with the development accounts and the block producer of the other nodes. Resolves once it listens. */
export async function startGanache(chainId: number): Promise<GanacheNode> {
  const port = await freePort()
  const chain = ['--chain.chainId', `${chainId}`, '--chain.networkId', `${chainId}`]
  const settings = [
    '--miner.blockGasLimit',
    '6800000',
    '--miner.callGasLimit',
    '6800000',
    '--wallet.mnemonic',
    mnemonic,
    '--wallet.totalAccounts',
    `${developmentAccounts.length + 1}`,
    '--logging.quiet=false',
  ]
  const place = ['--server.host', '127.0.0.1', '--server.port', `${port}`]
  const { stop } = await startListening([command, ...place, ...chain, ...settings], 'RPC Listening on')
  return { url: `http://127.0.0.1:${port}`, stop }
}
