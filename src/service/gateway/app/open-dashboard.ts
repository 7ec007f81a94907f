import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { limits } from '@concordat/node-access-contract/contract'
import type { FastifyInstance } from 'fastify'
import {
  createAccounts,
  type DemoAccount,
  ensureDemoAccount,
  mailSecurityEvents,
  openMail,
} from '../accounts/index.js'
import { createAdministration } from '../administration/index.js'
import {
  type DashboardNetwork,
  type LoopbackClient,
  readConsoleMethods,
  registerDashboard,
} from '../dashboard/index.js'
import type { FailureLog } from '../failures/index.js'
import { DEVELOPMENT_USER, type Keys } from '../keys/index.js'
import { createServiceStatus, type OpenNetwork } from '../networks/index.js'
import { networks as contractNetworks, type Network, type Served, servedEntries } from '../profiles/index.js'
import { createQuotaNotices, type Quota } from '../quota/index.js'
import type { SecurityLog } from '../security-log/index.js'
import type { Secret, Store } from '../store/index.js'
import type { Log, Readiness } from '../telemetry/index.js'
import type { Usage } from '../usage/index.js'
import { formsOfOrigin, onceMade } from '../util/index.js'
import type { Settings } from './config.js'
import { developmentExamples } from './development-examples.js'
import { readProduct } from './read-product.js'

/** The parts of the service that the dashboard needs. */
export interface DashboardParts {
  readonly settings: Settings
  readonly log: Log
  readonly store: Store
  readonly secret: Secret
  readonly keys: Keys
  readonly networks: Served<
    Pick<OpenNetwork, 'title' | 'chainId' | 'embedded' | 'findBlock' | 'head' | 'status'>
  >
  /** True for a development start, where reset links may be logged. */
  readonly isDevelopment: boolean
  readonly pages: Readonly<Record<string, string>>
  readonly referencePath: string
  readonly isDraining: () => boolean
  /** Where the service listens; undefined before it does. */
  readonly listeningAddress: () => AddressInfo | undefined
  readonly sendCall: LoopbackClient['send']
  /** Whether the parts of the service answer. */
  readonly readiness: () => Promise<Readiness>
  readonly quota: Pick<Quota, 'flush' | 'limitPerDay' | 'onWritten'>
  readonly usage: Pick<Usage, 'flush'>
  readonly failures: Pick<FailureLog, 'flush'>
  readonly securityLog: SecurityLog
  /** Current e-mail addresses of the operators. */
  readonly operators: () => readonly string[]
  /** Returns the base URL of a network or of the dashboard; called once the service is listening. */
  readonly baseUrl: (of: Network | 'dashboard') => string
}

/** The dashboard of a running service. */
export interface OpenDashboard {
  /** Returns the account for trying out the service and creates it if missing. */
  ensureDemoAccount(): Promise<DemoAccount>
  /** Waits for mails that are being sent. */
  close(): Promise<void>
}

const withoutMail =
  'no mail server is configured (CONCORDAT_SMTP_URL): accounts are active immediately, and addresses are not verified'
const unprovable =
  'operators are configured without a mail server: their addresses cannot be confirmed, so they have no access'
const provableByLog =
  'operators are configured without a mail server: to confirm an address, use the link of "Forgot your password?" in this log'

/** Adds the dashboard to a server before it listens. */
export async function openDashboard(app: FastifyInstance, parts: DashboardParts): Promise<OpenDashboard> {
  const { settings, log, store, secret, keys, networks, isDevelopment, baseUrl } = parts
  const mail = settings.smtpUrl === undefined ? undefined : await openMail(settings.smtpUrl)
  if (mail === undefined && !isDevelopment) log.warn(withoutMail)
  if (mail === undefined && settings.operators.length > 0)
    log.warn(isDevelopment ? provableByLog : unprovable)
  const onError = (err: unknown, what: string) => log.error({ err }, what)
  const publicOrigin = settings.publicUrls.dashboard
  const ownOrigins = () =>
    (publicOrigin === undefined ? listeningOrigins(parts.listeningAddress()) : [publicOrigin]).flatMap(
      formsOfOrigin,
    )
  const product = await readProduct(settings)
  const { db } = store
  const mails = { db, origin: () => baseUrl('dashboard'), sendMail: mail?.send, onError }
  const securityLog = mailSecurityEvents(parts.securityLog, mails)
  const accounts = createAccounts({
    ...mails,
    secret,
    limits,
    issuer: product.name,
    ownOrigins,
    showResetLink: isDevelopment
      ? (email, link) => log.warn({ email, link }, 'link to set a new password')
      : undefined,
    operators: parts.operators,
    deleteKeys: keys.deleteAllOf,
    flushCounts: () => parts.quota.flush(),
    securityLog,
  })
  const notices =
    mail &&
    createQuotaNotices({
      ...mails,
      warningPercent: limits.quotaWarningPercent,
      limitPerDay: parts.quota.limitPerDay,
      sendMail: mail.send,
    })
  if (notices !== undefined) parts.quota.onWritten(notices.check)
  const shown = servedEntries(networks).map(([name, network]): [string, DashboardNetwork] => {
    const { title, chainId, embedded } = network
    const localizeExample = exampleLocalizer(network)
    const { chain } = contractNetworks[name]
    return [name, { title, chain, chainId, embedded, baseUrl: () => baseUrl(name), localizeExample }]
  })
  await registerDashboard(app, {
    accounts,
    ...createAdministration({ ...parts, securityLog }),
    status: createServiceStatus(networks, parts.readiness),
    nodes: () => servedEntries(networks).map(([, { title, status }]) => ({ title, nodes: status() })),
    networks: new Map(shown),
    limits: {
      ...limits,
      // It changes with a reload.
      get requestsPerUserPerDay() {
        return parts.quota.limitPerDay()
      },
    },
    methods: await readConsoleMethods(),
    sendCall: parts.sendCall,
    product,
    pages: parts.pages,
    referencePath: parts.referencePath,
    publicOrigin,
    ownOrigins,
    isDraining: parts.isDraining,
    formSecrets: secret.deriveAll('forms of the dashboard'),
    onError,
  })
  return {
    ensureDemoAccount: () => ensureDemoAccount(store.db, DEVELOPMENT_USER.email),
    async close() {
      await accounts.close()
      await securityLog.close()
      await notices?.close()
      mail?.close()
    },
  }
}

/** Creates a function that replaces values of the contract's examples by blocks of an embedded chain. */
function exampleLocalizer({ embedded, findBlock }: Pick<OpenNetwork, 'embedded' | 'findBlock'>) {
  const examples = onceMade<void, (text: string) => string>(() => developmentExamples(findBlock))
  return async (text: string): Promise<string> => (embedded ? (await examples())(text) : text)
}

const wildcards = ['0.0.0.0', '::']

/**
 * Returns the origins under which browsers reach a server without a proxy: its listening addresses, and `localhost` for
 * this machine. Request headers are ignored, because callers choose them.
 */
export function listeningOrigins(listening: AddressInfo | undefined): readonly string[] {
  if (listening === undefined) return []
  const { address, port } = listening
  const addresses = wildcards.includes(address) ? machineAddresses() : [address]
  const hosts = addresses.some(isLoopback) ? [...addresses, 'localhost'] : addresses
  return hosts.map((host) => new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`).origin)
}

const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.')

const machineAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? [])
