import type { Server } from 'node:http'
import { networkInterfaces } from 'node:os'

const wildcards = ['0.0.0.0', '::']

/**
 * Returns the origins under which browsers reach a server without a proxy: its listening addresses, and `localhost` for
 * this machine. Request headers are ignored, because callers choose them.
 */
export function listeningOrigins(server: Server): readonly string[] {
  const listening = server.address()
  if (listening === null || typeof listening === 'string') return []
  const { address, port } = listening
  const addresses = wildcards.includes(address) ? machineAddresses() : [address]
  const hosts = addresses.some(isLoopback) ? [...addresses, 'localhost'] : addresses
  return hosts.map((host) => new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`).origin)
}

const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.')

const machineAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? [])
