import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectControl, developmentAccounts, networkNames } from '@concordat/gateway'
import type { SelftestService, SelftestUser } from '../../judge/index.js'
import { UsageError } from '../io.js'
import { packagePath } from '../package-file.js'
import { againWhenUnreachable } from './again-when-unreachable.js'
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
 * Starts the service like `concordat start`, in a separate process with a free port and a new folder.
 * @param env the environment to inherit from
 * @throws UsageError with the service's output, when it does not start
 */
export async function startSelftestService(
  env: NodeJS.ProcessEnv,
  { blockSeconds = 0, requestsPerDay = settings.requestsPerDay }: ServiceSettings = {},
): Promise<StartedService> {
  const home = await mkdtemp(join(tmpdir(), 'concordat-selftest-')).catch((cause: Error) => {
    throw new UsageError(`cannot create a temporary folder: ${cause.message}`, { cause })
  })
  const data = join(home, 'data')
  const readyFile = join(home, 'ready.json')
  const args = [
    'start',
    '--port',
    '0',
    '--data',
    data,
    '--network',
    network,
    '--ready-file',
    readyFile,
    '--block-seconds',
    `${blockSeconds}`,
  ]
  const child = spawn(process.execPath, [packagePath('bin/concordat.js'), ...args], {
    env: environmentOf(env, requestsPerDay),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }
    await rm(home, { recursive: true, force: true })
  }
  try {
    await isReady(child)
    const { networks } = JSON.parse(await readFile(readyFile, 'utf8')) as {
      networks: Record<string, { url: string }>
    }
    const { origin } = new URL(networks[network]?.url ?? '')
    return {
      origin,
      // The embedded chain was created with the first three accounts.
      fundedKey: developmentAccounts[3].privateKey,
      newUser: userMaker(origin, data, requestsPerDay),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Removes the user's own configuration from the environment. */
function environmentOf(env: NodeJS.ProcessEnv, requestsPerDay: number): NodeJS.ProcessEnv {
  const inherited = Object.entries(env).filter(
    ([name]) => !name.startsWith('CONCORDAT_') && name !== 'DATABASE_URL',
  )
  return {
    ...Object.fromEntries(inherited),
    CONCORDAT_LIMIT_REQUESTS_PER_DAY: String(requestsPerDay),
    CONCORDAT_LOG_LEVEL: 'error',
  }
}

/** Resolves with the first line of the banner, which follows the ready file. */
async function isReady(child: ChildProcess): Promise<void> {
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const output = child.stdout === null ? undefined : once(child.stdout, 'data')
  const ended = once(child, 'exit').then(() => 'ended' as const)
  if ((await Promise.race([output, ended])) !== 'ended') return
  throw new UsageError(`the embedded service did not start: ${errors.trim()}`)
}

/** Creates users, each with its own address, because the service counts rejected keys by address. */
function userMaker(origin: string, data: string, requestsPerDay: number): SelftestService['newUser'] {
  let users = 0
  return async (isNearlySpent, needs) => {
    const user = await againWhenUnreachable(() => newUser(origin, data, ++users, needs))
    if (isNearlySpent) await spendRequests(user.url, requestsPerDay - settings.leftToSpend)
    return user
  }
}

/**
 * Creates a user with the needed keys, over a separate control connection, since idle connections are closed.
 * Each key with a list belongs to a further user, so that no other run spends its limit.
 */
async function newUser(
  origin: string,
  data: string,
  number: number,
  needs: ReadonlySet<string>,
): Promise<SelftestUser> {
  const control = await connectControl(data)
  if (control === undefined) throw new UsageError('the embedded service does not answer its control socket')
  const newKey = async (name: string, owner = 'user', on = network) => {
    const user = `${owner}${number}@selftest.example`
    const made = await control.run('keys.create', { user, network: on, name })
    const { id, text } = made as unknown as { readonly id: string; readonly text: string }
    return { id, url: `${origin}/${text}` }
  }
  const isNeeded = (name: string) => needs.has(`${name}-key`)
  try {
    const { url } = await newKey('own')
    const second = isNeeded('second') ? await newKey('second') : undefined
    const revoked = isNeeded('revoked') ? await newKey('revoked') : undefined
    if (revoked !== undefined) await control.run('keys.delete', { id: revoked.id })
    const keyUrls: Record<string, string> = {}
    if (isNeeded('limited')) {
      const { id, url } = await newKey('limited')
      await control.run('keys.set', { id, dailyLimit: settings.limitOfOwn })
      keyUrls['limited'] = url
    }
    for (const [name, access] of Object.entries(accessLists()).filter(([name]) => isNeeded(name))) {
      const { id, url } = await newKey(name, name)
      await control.run('keys.set', { id, access })
      keyUrls[name] = url
    }
    if (unserved !== undefined && isNeeded('unserved')) {
      keyUrls['unserved'] = (await newKey('unserved', 'unserved', unserved)).url
    }
    return { url, secondUrl: second?.url, revokedUrl: revoked?.url, keyUrls, address: addressOf(number) }
  } finally {
    control.close()
  }
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
