import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { EmbeddedChainError } from '../embedded-chain-error.js'

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/**
 * Finds anvil's binary in the platform's package, an optional dependency of @foundry-rs/anvil.
 * @param platform operating system, as in `process.platform`
 * @param architecture processor, as in `process.arch`
 * @throws EmbeddedChainError if the package is not installed or does not exist for this platform
 */
export function findAnvil(platform: string = process.platform, architecture: string = process.arch): string {
  const name = `@foundry-rs/anvil-${platform}-${architectures[architecture] ?? architecture}`
  const own = createRequire(import.meta.url)
  try {
    const fromAnvil = createRequire(own.resolve('@foundry-rs/anvil/package.json'))
    const folder = dirname(fromAnvil.resolve(`${name}/package.json`))
    return join(folder, 'bin', platform === 'win32' ? 'anvil.exe' : 'anvil')
  } catch (cause) {
    throw new EmbeddedChainError(
      `the development chain needs the optional package ${name}, which is not installed: ` +
        'run npm ci without --omit=optional, or set the nodes of each network in CONCORDAT_NODES_<NETWORK>',
      { cause },
    )
  }
}
