import { lookup } from 'node:dns/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { extensions, limits } from '../../../generated/contract.js'
import { registerDirectRpc, rpcServerOptions, stopGracefully } from '../../server/index.js'
import { ListenError } from '../../util/listen-error.js'
import { readPackageFile } from '../../util/package-file.js'
import type { DemoAccount } from '../accounts/demo-account.js'
import { registerReference } from '../dashboard/reference-page.js'
import { createLoopbackClient } from '../dashboard/setup/loopback-client.js'
import { toQuantity } from '../ethereum/hex.js'
import { createAddressMatch } from '../keys/access/address-range.js'
import { createClientAccess } from '../keys/access/client-access.js'
import { createKeyCommands } from '../keys/key-commands.js'
import { createKeys, type Keys, type KeyWithText } from '../keys/keys.js'
import { createKeyPath } from '../keys/lookup/key-path.js'
import { KEY_CHANNEL } from '../keys/lookup/key-watch.js'
import { reencryptKeys } from '../keys/reencrypt-keys.js'
import { createRefusedAddresses } from '../keys/refused-addresses.js'
import { type OpenNetwork, openNetwork } from '../networks/open-network.js'
import { createServesNetwork } from '../networks/serves-network.js'
import { byNetwork, type Network, type Served, servedEntries } from '../profiles/network.js'
import { createCharge } from '../quota/charge.js'
import { createQuota } from '../quota/quota.js'
import { createRequestQueue } from '../quota/request-queue.js'
import { createAuthorize } from '../request/authorize.js'
import { createServiceProtocol } from '../request/service-protocol.js'
import { openStore, type Store } from '../store/open-store.js'
import { joinReplicas } from '../store/replica.js'
import { createSecret, loadSecret, requireSharedSecret } from '../store/secret.js'
import { createVacuum } from '../store/vacuum.js'
import { registerHealth } from '../telemetry/health.js'
import type { Log } from '../telemetry/log.js'
import { Metrics } from '../telemetry/metrics.js'
import { type MetricsServer, serveMetrics } from '../telemetry/metrics-server.js'
import { createRequestLog } from '../telemetry/request-log.js'
import { serverFailures } from '../telemetry/server-failures.js'
import { type MetricSources, serviceMetrics } from '../telemetry/service-metrics.js'
import { openTracing } from '../telemetry/tracing.js'
import { createUsage } from '../usage/usage.js'
import { deleteOldUsage, writeUsage } from '../usage/usage-table.js'
import type { Settings } from './config.js'
import { serveControl } from './control/control-server.js'
import { openDashboard } from './open-dashboard.js'
import { createReload, type ReloadReport } from './reload.js'
import { createClientAddress } from './trusted-proxies.js'

/** A network as the service's owner is shown it. */
export interface ServedNetwork {
  readonly title: string
  /** As the contract states it, such as `0x1f`. */
  readonly chainId: string
  /** The URL with the development key; without one where there are no development keys. */
  readonly url: string
  /** True when the chain is a development chain of this process. */
  readonly embedded: boolean
  /** Number of the latest block, as a quantity; undefined when no node answers. */
  readonly head: string | undefined
}

/** The dashboard as the service's owner is shown it. */
export interface ServedDashboard {
  readonly url: string
  /** The account of whoever tries the service; undefined where there are no development keys. */
  readonly demo: DemoAccount | undefined
}

/** The running service. */
export interface Gateway {
  /** The networks that this process serves. */
  readonly networks: Served<ServedNetwork>
  /** The URL of the contract's reference, for people. */
  readonly reference: string
  /** Undefined where its packages are not installed. */
  readonly dashboard: ServedDashboard | undefined
  /** The URL of the metrics; undefined where there are none. */
  readonly metrics: string | undefined
  /** Puts new settings in force where that is safe while it runs. */
  reload(settings: Settings): ReloadReport
  /** Fulfils with the cause when the embedded database is gone: without a restart nothing can be kept any more. */
  readonly lost: Promise<unknown>
  /** Answers what is in flight, keeps what has been counted, and ends everything that was started. */
  stop(): Promise<void>
}

/** How the service is started. */
export interface GatewayOptions {
  /** Makes a key of each network for whoever tries the service; they are told in the URLs of the networks. */
  readonly developmentKeys: boolean
  /** Seconds between blocks of the development chains; with 0, the default, each transaction is mined at once. */
  readonly blockSeconds?: number
}

const millisecondsPerSecond = 1000
const { paths, cors, pages } = extensions['x-http']
const referencePath = Object.entries(pages).find(([, page]) => page === 'reference')?.[0] ?? ''
/** The contract writes `/{key}`, Fastify `/:key`. */
const routes = paths.map((path) => path.replace(/{(\w+)}/g, ':$1'))

/** Ends what was started, the last first; each is ended once, whatever becomes of the others. */
class Started {
  readonly #stops: (() => Promise<unknown>)[] = []

  add(stop: () => Promise<unknown>): void {
    this.#stops.push(stop)
  }

  async stop(): Promise<void> {
    const failures: unknown[] = []
    for (const stop of this.#stops.splice(0).reverse()) await stop().catch((error) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
}

/** The parts that serve calls. */
interface CallParts {
  readonly keys: Keys
  readonly protocol: ReturnType<typeof createServiceProtocol>
  readonly requestLog: ReturnType<typeof createRequestLog>
  readonly loopbackClient: ReturnType<typeof createLoopbackClient>
}

/**
 * Starts the service: opens the store and the networks, then serves. The order in which a request meets the parts is
 * the one of ARCHITECTURE.md.
 * @throws OperatorError when the folder cannot be used, EmbeddedChainError when a chain does not start, ListenError;
 * nothing is left running then
 */
export async function startGateway(
  settings: Settings,
  log: Log,
  options: GatewayOptions = { developmentKeys: true },
): Promise<Gateway> {
  const started = new Started()
  try {
    return await composeGateway(settings, log, started, options)
  } catch (error) {
    await started.stop().catch((cause) => log.error({ err: cause }, 'a part did not end'))
    throw error
  }
}

async function composeGateway(
  settings: Settings,
  log: Log,
  started: Started,
  options: GatewayOptions,
): Promise<Gateway> {
  const { tuning } = settings
  requireSharedSecret(settings.databaseUrl, settings.secret)
  const metrics = new Metrics(settings.networks)
  const { store, networks } = await openParts(settings, log, metrics, started, options)
  const { keys, quota, usage, secret } = await openCounts(settings, log, store, started)
  const requestLog = createRequestLog(log, metrics, usage)
  const tracing = await openTraces(settings, log, started)
  const queue = createRequestQueue({ ...limits, ...tuning })
  const protocol = createServiceProtocol({
    networks,
    charge: createCharge(quota),
    queue,
    document: await readPackageFile('openrpc.json'),
    log,
    requestLog,
    tuning,
    tracing,
  })

  const trustProxy = createAddressMatch(settings.trustedProxies)
  const { onUnreadable } = requestLog
  const app = Fastify({
    ...rpcServerOptions({ limits, failures: serverFailures, cors, onUnreadable }),
    trustProxy,
  })
  const loopbackClient = createLoopbackClient(app.server, createClientAddress(trustProxy))
  const rpc = registerCalls(app, settings, { keys, protocol, requestLog, loopbackClient })
  let turnedAway = 0
  let { operators } = settings
  const setConnections = (most: number) => {
    app.server.maxConnections = most
  }
  setConnections(settings.limits.connections)
  const setOperators = (emails: readonly string[]) => {
    operators = emails
  }
  app.server.on('drop', () => {
    turnedAway += 1
  })
  let draining = false
  const readiness = registerHealth(app, {
    isDraining: () => draining,
    networks,
    database: () => store.connection.query('select 1'),
  })
  const baseUrl = (of: keyof Settings['publicUrls']) => settings.publicUrls[of] ?? app.listeningOrigin
  registerReference(app, pages, networks, baseUrl)
  const dashboard = await openDashboard(app, {
    settings,
    log,
    store,
    secret,
    keys,
    networks,
    isDevelopment: options.developmentKeys,
    referencePath,
    isDraining: () => draining,
    sendCall: loopbackClient.send,
    readiness,
    quota,
    usage,
    operators: () => operators,
    baseUrl,
  })
  if (dashboard !== undefined) started.add(dashboard.close)
  // Started before the service listens, it is there until the last request is answered.
  const metricsServer = await serveMetricsOf(settings, {
    metrics,
    networks,
    connections: () => ({ open: rpc.connections.size, turnedAway }),
    queued: queue.size,
    leases: quota.leases,
  })
  if (metricsServer !== undefined) started.add(metricsServer.close)
  // A name is resolved here: for `localhost` Fastify would open a second server, which a graceful stop does not see.
  const address = await lookup(settings.host)
    .then(({ address: host }) => app.listen({ host, port: settings.port }))
    .catch(ListenError.of('service'))
  started.add(() => {
    draining = true
    const deadlineMilliseconds = limits.gracefulStopSeconds * millisecondsPerSecond
    return stopGracefully({ app, rpc, deadlineMilliseconds })
  })

  serveControl(store.folder, {
    handlers: {
      ...createKeyCommands(keys),
      'service.urls': () => byNetwork(baseUrl),
    },
    onError: (error) => log.error({ err: error }, 'a control command failed'),
  })
  const developmentKeys = options.developmentKeys ? await keys.ensureDevelopmentKeys(settings.networks) : {}
  log.debug({ address }, 'listening')
  return {
    networks: servedNetworks(networks, baseUrl, developmentKeys),
    reference: `${baseUrl(settings.networks[0] ?? 'dashboard')}${referencePath}`,
    dashboard: dashboard && {
      url: `${baseUrl('dashboard')}/`,
      demo: options.developmentKeys ? await dashboard.ensureDemoAccount() : undefined,
    },
    metrics: metricsServer?.url,
    lost: store.connection.lost ?? new Promise(() => undefined),
    reload: createReload({ log, networks, quota, setConnections, setOperators }, settings),
    async stop() {
      log.debug('stopping')
      await started.stop()
    },
  }
}

/** Serves calls at the paths of keys. */
function registerCalls(
  app: FastifyInstance,
  { networks, publicUrls, tuning }: Settings,
  { keys, protocol, requestLog, loopbackClient }: CallParts,
) {
  const refused = createRefusedAddresses(limits.refusedKeysPerAddressPerMinute)
  const servesNetwork = createServesNetwork(networks, publicUrls)
  const authorize = createAuthorize(keys, refused, createClientAccess(), { ...tuning, servesNetwork })
  return registerDirectRpc(
    app,
    {
      paths: routes,
      protocol,
      cors,
      authorize: requestLog.noting(authorize),
      onRefused: requestLog.onRefused,
      alone: true,
    },
    {
      paramsOf: createKeyPath(paths, keys.paramsAt),
      addressOf: loopbackClient.addressOf,
      fastLane: tuning.httpParser === 'fast-lane',
    },
  )
}

/** The networks with the development keys' URLs, where there are such keys. */
function servedNetworks(
  networks: Served<OpenNetwork>,
  baseUrl: (of: Network) => string,
  developmentKeys: Served<KeyWithText>,
): Served<ServedNetwork> {
  const shown = servedEntries(networks).map(([name, { title, chainId, embedded, head: latest }]) => {
    const number = latest()
    const head = number === undefined ? undefined : toQuantity(number)
    const url = `${baseUrl(name)}/${developmentKeys[name]?.text ?? ''}`
    return [name, { title, chainId, embedded, url, head }] as const
  })
  return Object.fromEntries(shown)
}

/** Opens what knows the callers and counts what they ask: keys, limits and usage, together with the other replicas. */
async function openCounts(settings: Settings, log: Log, store: Store, started: Started) {
  const secret = await loadSecret(settings.dataDir, settings.secret)
  const keys = createKeys({
    store,
    secret,
    limits,
    flushUsage: (keyIds) => usage.flush(keyIds),
  })
  await reencryptKeys(
    store.db,
    secret,
    settings.secretPrevious === undefined ? undefined : createSecret(settings.secretPrevious),
  )
  const replica = await joinReplicas(store, {
    channel: KEY_CHANNEL,
    onNotice: keys.forget,
    onBeat: keys.catchUp,
    onError: (error) => log.error({ err: error }, 'the database does not answer; it is asked again'),
    onDeaf: () =>
      log.warn(
        'notifications of the database do not arrive, as behind a pooler in transaction mode: changes of keys are polled twice a second',
      ),
  })
  started.add(() => replica.leave())
  const quota = createQuota({
    store,
    limitPerDay: settings.limits.requestsPerDay,
    tuning: settings.tuning,
    replicaId: replica.id,
    replicas: replica.count,
    onError: (error) => log.error({ err: error }, 'counts could not be written; they are tried again'),
  })
  started.add(() => quota.close())
  const vacuum = createVacuum(store.connection.query)
  const usage = createUsage({
    usageFlushSeconds: settings.tuning.usageFlushSeconds,
    write: (batch) => writeUsage(store.db, replica.id, batch),
    async deleteOld() {
      const mayBeMore = await deleteOldUsage(store.db, limits)
      // A PostgreSQL server does it by itself.
      if (store.server === undefined && !mayBeMore) await vacuum()
      return mayBeMore
    },
    onError: (error, lost) =>
      log.error({ err: error, lost }, 'usage could not be written; it is tried again'),
  })
  started.add(() => usage.close())
  return { keys, quota, usage, secret }
}

/** Makes traces where they are asked for. */
async function openTraces({ traces }: Settings, log: Log, started: Started) {
  if (traces === undefined) return undefined
  const tracing = await openTracing(traces, (reason) =>
    log.warn({ reason }, 'traces could not be sent; logged once a minute'),
  )
  started.add(tracing.close)
  return tracing
}

/** Serves the metrics where a port is set for them. */
async function serveMetricsOf(
  { metrics: { host, port } }: Settings,
  sources: MetricSources,
): Promise<MetricsServer | undefined> {
  return port === undefined ? undefined : serveMetrics({ host, port, metrics: serviceMetrics(sources) })
}

/** Opens the store and the networks that are served at once; when one fails, the others are ended. */
async function openParts(
  settings: Settings,
  log: Log,
  metrics: Metrics,
  started: Started,
  { blockSeconds }: GatewayOptions,
) {
  const part = async <T>(opening: Promise<T>, close: (opened: T) => Promise<unknown>): Promise<T> => {
    const opened = await opening
    started.add(() => close(opened))
    return opened
  }
  const store = part(openStore(settings), (store) => store.close())
  const opening = settings.networks.map(async (name) => {
    const network = await part(
      openNetwork(
        name,
        { nodes: settings.nodes[name], tuning: settings.tuning },
        log,
        {
          call: (event) => metrics.nodeCalled(name, event),
          violation: (node) => metrics.violated(name, node),
          lookup: (outcome) => metrics.cacheLookup(name, outcome),
        },
        blockSeconds,
      ),
      (opened) => opened.close(),
    )
    return [name, network] as const
  })
  await Promise.allSettled([store, ...opening])
  const networks: Served<OpenNetwork> = Object.fromEntries(await Promise.all(opening))
  return { store: await store, networks }
}
