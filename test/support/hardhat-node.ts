import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.js'
import { startListening } from './listening-program.js'

/** A running Hardhat node. */
export interface HardhatNode {
  readonly url: string
  /** Ends the node; resolves when it has exited. */
  stop(): Promise<void>
}

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** Starts a Hardhat node in a new project. Resolves once it listens. */
export async function startHardhatNode(chainId: number): Promise<HardhatNode> {
  const home = await mkdtemp(join(tmpdir(), 'concordat-hardhat-'))
  await symlink(packages, join(home, 'node_modules'))
  const hardhat = { chainId, hardfork: 'cancun', initialBaseFeePerGas: 0, blockGasLimit: 6_800_000 }
  const config = { solidity: '0.8.24', networks: { hardhat } }
  await writeFile(join(home, 'hardhat.config.cjs'), `module.exports = ${JSON.stringify(config)}`)
  const port = await freePort()
  const command = join(packages, 'hardhat/internal/cli/cli.js')
  const args = ['node', '--hostname', '127.0.0.1', '--port', `${port}`] as const
  const env = { HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' }
  const remove = () => rm(home, { recursive: true, force: true })
  try {
    const program = await startListening([command, ...args], 'Started HTTP', { cwd: home, env })
    const stop = () => program.stop().finally(remove)
    return { url: `http://127.0.0.1:${port}`, stop }
  } catch (error) {
    await remove()
    throw error
  }
}
