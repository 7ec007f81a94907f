import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, developmentAccounts, type Gateway, networkNames } from '@concordat/gateway'
import type { JsonObject } from '@concordat/rpc'
import type { SelftestService, SelftestUser } from '../../judge/index.js'
import { UsageError } from '../io.js'
import { startedGateway } from '../serve/serve-service.js'
import { readServiceSettings } from '../serve/service-settings.js'
import { spendRequests } from './spend-requests.js'

/** The served network, and another network of the contract, if it has one. */
const [network = '', unserved] = networkNames

/** Settings of the service for the selftest. */
const settings = {
  /** Daily requests of a user: more than all cases that read send together. */
  requestsPerDay: 3000,
  /** Remaining requests of a user who is about to reach the limit. */
  leftToSpend: 40,
  /** Daily limit of the key that has its own limit. */
  limitOfOwn: 5,
} as const

/** Settings of the service that a selftest may choose. */
interface ServiceSettings {
  /** Seconds between blocks of its chains; 0, the default, mines each transaction immediately. */
  readonly blockSeconds?: number | undefined
  /** Daily requests of a user, if not those of the settings above. */
  readonly requestsPerDay?: number | undefined
}

/** The service that the selftest started. */
export interface StartedService extends SelftestService {
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

/**
 * Starts the service like `concordat start`, in this process, with a free port and a new folder. It ignores the
 * configuration of the user.
 * @throws UsageError with advice, when it does not start
 */
export async function startSelftestService({
  blockSeconds = 0,
  requestsPerDay = settings.requestsPerDay,
}: ServiceSettings = {}): Promise<StartedService> {
  const home = await mkdtemp(join(tmpdir(), 'concordat-selftest-')).catch((cause: Error) => {
    throw new UsageError(`cannot create a temporary folder: ${cause.message}`, { cause })
  })
  const remove = () => rm(home, { recursive: true, force: true })
  const own = { port: '0', data: join(home, 'data'), network: [network] }
  const env = { CONCORDAT_LIMIT_REQUESTS_PER_DAY: String(requestsPerDay) }
  try {
    const gateway = await startedGateway(
      await readServiceSettings(own, { env }),
      // What goes wrong in the service shows in the verdicts.
      createLog('fatal', () => undefined),
      { developmentKeys: true, blockSeconds },
    )
    return {
      // The embedded chain was created with the first three accounts.
      fundedKey: developmentAccounts[3].privateKey,
      newUser: userMaker(gateway, requestsPerDay),
      async stop() {
        await gateway.stop()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Creates users, each with its own address, because the service counts rejected keys by address. */
function userMaker(gateway: Gateway, requestsPerDay: number): SelftestService['newUser'] {
  let users = 0
  return async (isNearlySpent, needs) => {
    const user = await newUser(gateway, ++users, needs)
    if (isNearlySpent) await spendRequests(user.url, requestsPerDay - settings.leftToSpend)
    return user
  }
}

/**
 * Creates a user with the needed keys. Each key with a list belongs to a further user, so that no other run spends its
 * limit.
 */
async function newUser(
  { keyCommands, networks }: Gateway,
  number: number,
  needs: ReadonlySet<string>,
): Promise<SelftestUser> {
  const [served] = Object.values(networks)
  const { origin } = new URL(served?.url ?? '')
  const run = async (command: string, input: JsonObject) => keyCommands[command]?.(input)
  const newKey = async (name: string, owner = 'user', on = network) => {
    const user = `${owner}${number}@selftest.example`
    const made = await run('keys.create', { user, network: on, name })
    const { id, text } = made as unknown as { readonly id: string; readonly text: string }
    return { id, url: `${origin}/${text}` }
  }
  const isNeeded = (name: string) => needs.has(`${name}-key`)
  const { url } = await newKey('own')
  const second = isNeeded('second') ? await newKey('second') : undefined
  const revoked = isNeeded('revoked') ? await newKey('revoked') : undefined
  if (revoked !== undefined) await run('keys.delete', { id: revoked.id })
  const keyUrls: Record<string, string> = {}
  if (isNeeded('limited')) {
    const { id, url } = await newKey('limited')
    await run('keys.set', { id, dailyLimit: settings.limitOfOwn })
    keyUrls['limited'] = url
  }
  for (const [name, access] of Object.entries(accessLists()).filter(([name]) => isNeeded(name))) {
    const { id, url } = await newKey(name, name)
    await run('keys.set', { id, access })
    keyUrls[name] = url
  }
  if (unserved !== undefined && isNeeded('unserved')) {
    keyUrls['unserved'] = (await newKey('unserved', 'unserved', unserved)).url
  }
  return { url, secondUrl: second?.url, revokedUrl: revoked?.url, keyUrls, address: addressOf(number) }
}

/** Access rules of the keys that cases refer to by name. Cases state what they need on a list. */
const accessLists = () => ({
  methods: { methods: ['eth_chainId'] },
  contracts: { contracts: ['0x00000000000000000000000000000000c0c0da7a'] },
  origins: { origins: ['https://allowed.example'] },
  clients: { addresses: ['192.0.2.0/24'] },
  // The private key is discarded, so no token is valid.
  token: { jwt: { keys: [{ id: 'selftest', publicKey: newPublicKey() }] } },
})

function newPublicKey(): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return publicKey.export({ type: 'spki', format: 'pem' }).toString()
}

/** Returns a loopback address for a user. Only Linux answers on all of 127.0.0.0/8. */
function addressOf(number: number): string | undefined {
  return process.platform === 'linux' ? `127.0.${1 + (number >> 8)}.${number & 255}` : undefined
}
