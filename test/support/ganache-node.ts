import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { developmentAccounts } from '../../src/service/gateway/index.js'
import { freePort } from './free-port.js'

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
  const child = spawn(
    process.execPath,
    [command, '--server.host', '127.0.0.1', '--server.port', `${port}`, ...chain, ...settings],
    { env: { ...process.env, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const ended = once(child, 'close')
  let words = ''
  const started = new Promise<true>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (words.length < 10_000) words += text
        if (words.includes('RPC Listening on')) resolve(true)
      })
    }
  })
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  if ((await Promise.race([started, ended])) !== true) {
    await stop()
    throw new Error(`ganache exited before it listened:\n${words}`)
  }
  return { url: `http://127.0.0.1:${port}`, stop }
}
