import type { AddressInfo } from 'node:net'
import { version as contractVersion, extensions } from '@concordat/node-access-contract/contract'
import type { RunningServer } from '@concordat/server'
import type { DemoAccount } from '../accounts/index.js'
import { type KeyCommands, keyCommandsOf } from '../administration/index.js'
import { toQuantity } from '../ethereum/index.js'
import type { KeyWithText } from '../keys/index.js'
import type { OpenNetwork } from '../networks/index.js'
import { byNetwork, type Network, type Served, servedEntries } from '../profiles/index.js'
import type { Store } from '../store/index.js'
import { requireSharedSecret } from '../store/index.js'
import type { Log } from '../telemetry/index.js'
import {
  type MetricSources,
  Metrics,
  type MetricsServer,
  registerHealth,
  serveMetrics,
  serviceMetrics,
} from '../telemetry/index.js'
import { ListenError } from '../util/index.js'
import type { Settings } from './config.js'
import { serveControl } from './control/control-server.js'
import { divideMemory } from './memory-shares.js'
import { type OpenDashboard, openDashboard } from './open-dashboard.js'
import { openKeys, type SharedParts } from './open-keys.js'
import { openStoreAndNetworks } from './open-networks.js'
import { createReload, type ReloadReport } from './reload.js'
import { type RequestServer, serveRequests } from './serve-requests.js'
import { StartedParts } from './started-parts.js'

/** A served network, as the start banner shows it. */
export interface ServedNetwork {
  readonly title: string
  /** As the contract states it, such as `0x1f`. */
  readonly chainId: string
  /** The URL, with the development key if there is one. */
  readonly url: string
  /** True when the chain is a development chain of this process. */
  readonly embedded: boolean
  /** Number of the latest blocks whose state a development chain keeps; undefined for other chains. */
  readonly keptStates: number | undefined
  /** Number of the latest block, as a quantity; undefined when no node answers. */
  readonly head: string | undefined
}

/** The dashboard, as the start banner shows it. */
export interface ServedDashboard {
  readonly url: string
  /** The demo account; undefined without development keys. */
  readonly demo: DemoAccount | undefined
}

/** The running service. */
export interface Gateway {
  /** The networks that this process serves. */
  readonly networks: Served<ServedNetwork>
  /** The URL of the contract's reference, for people. */
  readonly reference: string
  readonly dashboard: ServedDashboard
  /** The URL of the metrics; undefined without a metrics port. */
  readonly metrics: string | undefined
  /** Commands of `concordat keys`. */
  readonly keyCommands: KeyCommands
  /** Applies the settings that can change while the service runs. */
  reload(settings: Settings): ReloadReport
  /** Resolves to the cause when the embedded database is lost. The service then needs a restart. */
  readonly lost: Promise<unknown>
  /** Answers requests in flight, writes the counts and stops every part. */
  stop(): Promise<void>
}

/** Options of a start. */
export interface GatewayOptions {
  /** Creates a development key for each network. The URLs of the networks contain these keys. */
  readonly developmentKeys: boolean
  /** Seconds between blocks of the development chains. With 0, the default, each transaction is mined immediately. */
  readonly blockSeconds?: number
  /** Version of the program, shown in the metrics. */
  readonly version?: string
}

const { pages } = extensions['x-http']
const referencePath = Object.entries(pages).find(([, page]) => page === 'reference')?.[0] ?? ''

/**
 * Starts the service: opens the store and the networks, then serves requests.
 * @throws OperatorError when the data folder cannot be used or the heap is too small, EmbeddedChainError when a chain does
 * not start, ListenError; all parts are stopped first
 */
export async function startGateway(
  settings: Settings,
  log: Log,
  options: GatewayOptions = { developmentKeys: true },
): Promise<Gateway> {
  const started = new StartedParts()
  try {
    return await composeGateway(settings, log, started, options)
  } catch (error) {
    await started.stop().catch((cause) => log.error({ err: cause }, 'a part failed to stop'))
    throw error
  }
}

/** The service before it listens. */
interface Service extends SharedParts, RequestServer {
  readonly settings: Settings
  readonly log: Log
  readonly started: StartedParts
  readonly options: GatewayOptions
  readonly store: Store
  readonly networks: Served<OpenNetwork>
  readonly metrics: Metrics
  /** The base of public URLs; known once the service listens. */
  readonly baseUrl: (of: keyof Settings['publicUrls']) => string
  /** Values that change while the service runs. */
  readonly state: {
    operators: readonly string[]
    isDraining: boolean
    connectionsRefused: number
    /** The server and its origin. They stay defined after the service has closed its socket. */
    listening:
      | { readonly origin: string; readonly address: AddressInfo; readonly server: RunningServer }
      | undefined
  }
}

async function composeGateway(
  settings: Settings,
  log: Log,
  started: StartedParts,
  options: GatewayOptions,
): Promise<Gateway> {
  requireSharedSecret(settings.databaseUrl, settings.secret)
  const memory = divideMemory(settings.tuning.memoryPercent)
  const metrics = new Metrics(settings.networks)
  const limits = { ...settings.limits }
  const opened = await openStoreAndNetworks(
    settings,
    limits,
    memory,
    log,
    metrics,
    started,
    options.blockSeconds,
  )
  const shared = await openKeys(settings, log, opened.store, started)
  const state: Service['state'] = {
    operators: settings.operators,
    isDraining: false,
    connectionsRefused: 0,
    listening: undefined,
  }
  const parts = { ...opened, ...shared, metrics, memory }
  const server = await serveRequests(settings, limits, log, parts, started, () => state.listening?.address)
  const service: Service = {
    ...{ settings, log, started, options, metrics, ...opened, ...shared, ...server, state },
    baseUrl: (of) => settings.publicUrls[of] ?? state.listening?.origin ?? '',
  }
  const setLimits = (next: Settings['limits']) => {
    Object.assign(limits, next)
    shared.quota.setLimitPerDay(limits.requestsPerDay)
    if (state.listening !== undefined) state.listening.server.server.maxConnections = limits.connections
  }
  const dashboard = await openPages(service)
  // The metrics are served until the last request is answered, because they start first.
  const metricsServer = await serveMetricsOf(service)
  await listen(service)
  const keyCommands = keyCommandsOf(shared)
  serveControl(opened.store.folder, {
    handlers: {
      ...keyCommands,
      'service.urls': () => byNetwork(service.baseUrl),
    },
    onError: (error) => log.error({ err: error }, 'a control command failed'),
  })
  const setOperators = (emails: readonly string[]) => {
    service.state.operators = emails
  }
  const { networks } = opened
  return {
    ...(await shownGateway(service, dashboard)),
    metrics: metricsServer?.url,
    keyCommands,
    lost: opened.store.connection.lost ?? new Promise(() => undefined),
    reload: createReload({ log, networks, setLimits, setOperators }, settings),
    async stop() {
      log.debug('stopping')
      await started.stop()
    },
  }
}

/** Adds the health endpoints, and the dashboard with the reference. */
async function openPages(service: Service): Promise<OpenDashboard> {
  const { app, networks, store, state, started } = service
  const isDraining = () => state.isDraining
  const database = () => store.connection.query('select 1')
  const readiness = registerHealth(app, { isDraining, networks, database })
  const dashboard = await openDashboard(app, {
    ...service,
    isDevelopment: service.options.developmentKeys,
    pages,
    referencePath,
    isDraining,
    listeningAddress: () => state.listening?.address,
    sendCall: service.loopbackClient.send,
    readiness,
    operators: () => state.operators,
  })
  started.add(dashboard.close)
  return dashboard
}

/** Serves the metrics if a port is set. */
async function serveMetricsOf(service: Service): Promise<MetricsServer | undefined> {
  const { settings, options, metrics, networks, state, store, queued, quota, started } = service
  const { host, port } = settings.metrics
  if (port === undefined) return undefined
  const sources: MetricSources = {
    metrics,
    networks,
    connections: () => ({
      open: state.listening?.server.connections.size ?? 0,
      turnedAway: state.connectionsRefused,
    }),
    queued,
    leases: quota.leases,
    pool: store.server?.pool,
    build: { version: options.version ?? '', contract: contractVersion, node: process.version },
  }
  return started.open(serveMetrics({ host, port, metrics: serviceMetrics(sources) }), (server) =>
    server.close(),
  )
}

/** Listens for requests, and limits the connections of callers. */
async function listen({ listen, settings, log, state, started }: Service): Promise<void> {
  const { host, port } = settings
  const running = await listen({ host, port }).catch(ListenError.of('service'))
  const { server } = running
  server.maxConnections = settings.limits.connections
  server.on('drop', () => {
    state.connectionsRefused += 1
  })
  const { origin } = new URL(running.url)
  state.listening = { origin, address: server.address() as AddressInfo, server: running }
  started.add(() => {
    state.isDraining = true
    return running.close()
  })
  log.debug({ address: origin }, 'listening')
}

/** The data of the start banner, with development keys and the demo account. */
async function shownGateway(
  { settings, networks, keys, options, baseUrl }: Service,
  dashboard: OpenDashboard,
): Promise<Pick<Gateway, 'networks' | 'reference' | 'dashboard'>> {
  const { developmentKeys } = options
  const shownKeys = developmentKeys ? await keys.ensureDevelopmentKeys(settings.networks) : {}
  return {
    networks: servedNetworks(networks, baseUrl, shownKeys),
    reference: `${baseUrl(settings.networks[0] ?? 'dashboard')}${referencePath}`,
    dashboard: {
      url: `${baseUrl('dashboard')}/`,
      demo: developmentKeys ? await dashboard.ensureDemoAccount() : undefined,
    },
  }
}

/** The networks, with the URLs of the development keys if there are any. */
function servedNetworks(
  networks: Served<OpenNetwork>,
  baseUrl: (of: Network) => string,
  developmentKeys: Served<KeyWithText>,
): Served<ServedNetwork> {
  const shown = servedEntries(networks).map(([name, network]) => {
    const { title, chainId, embedded, keptStates } = network
    const number = network.head()
    const head = number === undefined ? undefined : toQuantity(number)
    const url = `${baseUrl(name)}/${developmentKeys[name]?.text ?? ''}`
    return [name, { title, chainId, embedded, keptStates, url, head }] as const
  })
  return Object.fromEntries(shown)
}
