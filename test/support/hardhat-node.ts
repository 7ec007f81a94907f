import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.js'

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
  const child = spawn(process.execPath, [command, 'node', '--hostname', '127.0.0.1', '--port', `${port}`], {
    cwd: home,
    env: { ...process.env, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let words = ''
  const started = new Promise<true>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (words.length < 10_000) words += text
        if (words.includes('Started HTTP')) resolve(true)
      })
    }
  })
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
    await rm(home, { recursive: true, force: true })
  }
  if ((await Promise.race([started, ended])) !== true) {
    await stop()
    throw new Error(`Hardhat's node exited before it listened:\n${words}`)
  }
  return { url: `http://127.0.0.1:${port}`, stop }
}
