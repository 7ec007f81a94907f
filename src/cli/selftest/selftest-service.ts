import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectControl, developmentAccounts, networkNames } from '@concordat/gateway'
import type { SelftestService } from '../../conformance/index.js'
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

/** The service that the selftest started. */
export interface StartedService extends SelftestService {
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

/**
 * Starts the service like `concordat start`, in a separate process with a free port and a new folder.
 * @param env the environment to inherit from
 * @param blockSeconds seconds between blocks of its chains; 0 mines each transaction immediately
 * @throws UsageError with the service's output, when it does not start
 */
export async function startSelftestService(
  env: NodeJS.ProcessEnv,
  blockSeconds = 0,
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
    env: environmentOf(env),
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
      newUser: userMaker(origin, data),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Removes the user's own configuration from the environment. */
function environmentOf(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = Object.entries(env).filter(
    ([name]) => !name.startsWith('CONCORDAT_') && name !== 'DATABASE_URL',
  )
  return {
    ...Object.fromEntries(inherited),
    CONCORDAT_LIMIT_REQUESTS_PER_DAY: String(settings.requestsPerDay),
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
function userMaker(origin: string, data: string): SelftestService['newUser'] {
  let users = 0
  let lists = 0
  let listed: Promise<Readonly<Record<string, string>>> | undefined
  return async (isNearlySpent) => {
    listed ??= againWhenUnreachable(() => listedKeys(origin, data, ++lists))
    const keyUrls = await listed
    const { number, limitedUrl, ...urls } = await againWhenUnreachable(async () => {
      const number = ++users
      return { number, ...(await newKeys(origin, data, `user${number}@selftest.example`)) }
    })
    if (isNearlySpent) await spendRequests(urls.url, settings.requestsPerDay - settings.leftToSpend)
    return { ...urls, keyUrls: { ...keyUrls, limited: limitedUrl }, address: addressOf(number) }
  }
}

/** Creates the keys of a user over a separate control connection, since idle connections are closed. */
async function newKeys(
  origin: string,
  data: string,
  user: string,
): Promise<Readonly<Record<'url' | 'secondUrl' | 'revokedUrl' | 'limitedUrl', string>>> {
  const control = await connectControl(data)
  if (control === undefined) throw new UsageError('the embedded service does not answer its control socket')
  const newKey = async (name: string) => {
    const made = await control.run('keys.create', { user, network, name })
    const { id, text } = made as unknown as { readonly id: string; readonly text: string }
    return { id, url: `${origin}/${text}` }
  }
  try {
    const [own, second, revoked] = [await newKey('own'), await newKey('second'), await newKey('revoked')]
    await control.run('keys.delete', { id: revoked.id })
    const limited = await newKey('limited')
    await control.run('keys.set', { id: limited.id, dailyLimit: settings.limitOfOwn })
    return { url: own.url, secondUrl: second.url, revokedUrl: revoked.url, limitedUrl: limited.url }
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

/**
 * Creates the keys with lists, and a key of an unserved network. All faults share them, since no case changes
 * them.
 */
async function listedKeys(
  origin: string,
  data: string,
  attempt: number,
): Promise<Readonly<Record<string, string>>> {
  const control = await connectControl(data)
  if (control === undefined) throw new UsageError('the embedded service does not answer its control socket')
  const newKey = async (name: string, of: string) => {
    const user = `${name}${attempt}@lists.example`
    const made = await control.run('keys.create', { user, network: of, name })
    const { id, text } = made as unknown as { readonly id: string; readonly text: string }
    return { id, url: `${origin}/${text}` }
  }
  try {
    const urls: Record<string, string> = {}
    for (const [name, access] of Object.entries(accessLists())) {
      const { id, url } = await newKey(name, network)
      await control.run('keys.set', { id, access })
      urls[name] = url
    }
    if (unserved !== undefined) urls['unserved'] = (await newKey('unserved', unserved)).url
    return urls
  } finally {
    control.close()
  }
}

/** Returns a loopback address for a user. Only Linux answers on all of 127.0.0.0/8. */
function addressOf(number: number): string | undefined {
  return process.platform === 'linux' ? `127.0.${1 + (number >> 8)}.${number & 255}` : undefined
}
