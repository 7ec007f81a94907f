import { extensions, limits } from '@concordat/node-access-contract/contract'
import type { EdgeMessage, RegisteredRpc } from '@concordat/server'
import { registerDirectRpc, rpcServerOptions } from '@concordat/server/fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import { createLoopbackClient, type LoopbackClient } from '../dashboard/index.js'
import {
  createAddressMatch,
  createClientAccess,
  createKeyPath,
  createRefusedAddresses,
} from '../keys/index.js'
import type { OpenNetwork } from '../networks/index.js'
import type { Served } from '../profiles/index.js'
import { createRequestQueue, createWorkGate, type RequestQueue } from '../quota/index.js'
import {
  contractFailures,
  createCharge,
  createCompressAnswer,
  createFindKey,
  createFindNetwork,
  createFindSpent,
  createPipeline,
  type Handle,
  toRequestHandler,
} from '../request/index.js'
import {
  countRequests,
  createUnreadableLog,
  type Log,
  logRequests,
  type Metrics,
  openTracing,
  type Tracing,
} from '../telemetry/index.js'
import { readContractText } from '../util/index.js'
import type { Settings } from './config.js'
import type { ProcessMemory } from './memory-shares.js'
import type { SharedParts } from './open-keys.js'
import type { StartedParts } from './started-parts.js'

const { paths, cors } = extensions['x-http']
/** The contract writes `/{key}`, Fastify `/:key`. */
const routes = paths.map((path) => path.replace(/{(\w+)}/g, ':$1'))

/** The parts that requests need. */
export interface RequestParts extends SharedParts {
  readonly networks: Served<OpenNetwork>
  readonly metrics: Metrics
  readonly memory: ProcessMemory
}

/** The HTTP server of the service, before it listens. */
export interface RequestServer {
  readonly app: FastifyInstance
  readonly rpc: RegisteredRpc
  readonly queue: RequestQueue
  readonly loopbackClient: LoopbackClient
}

/** Creates the HTTP server and serves requests at the paths of keys. */
export async function serveRequests(
  settings: Settings,
  log: Log,
  parts: RequestParts,
  started: StartedParts,
): Promise<RequestServer> {
  const { keys, metrics, memory } = parts
  const trustProxy = createAddressMatch(settings.trustedProxies)
  const onUnreadable = createUnreadableLog(log, metrics)
  const rules = { limits, failures: contractFailures, cors }
  const app = Fastify({ ...rpcServerOptions({ ...rules, onUnreadable }), trustProxy })
  const loopbackClient = createLoopbackClient(app.server, createClientAddress(trustProxy))
  const queue = createRequestQueue({ ...limits, ...settings.tuning, queuedBytes: memory.queuedBytes })
  const handle = await createHandle(settings, log, parts, queue, started)
  const rpc = registerDirectRpc(
    app,
    {
      ...rules,
      paths: routes,
      alone: true,
      handle: toRequestHandler(handle, createCompressAnswer(settings.tuning.compressionsAtOnce)),
    },
    {
      paramsOf: createKeyPath(paths, keys.paramsAt),
      addressOf: loopbackClient.addressOf,
      fastLane: settings.tuning.httpParser === 'fast-lane',
    },
  )
  return { app, rpc, queue, loopbackClient }
}

/** Creates the pipeline, wrapped by traces, metrics and the log. */
async function createHandle(
  settings: Settings,
  log: Log,
  { keys, quota, usage, networks, metrics, memory }: RequestParts,
  queue: RequestQueue,
  started: StartedParts,
): Promise<Handle> {
  const refused = createRefusedAddresses(limits.refusedKeysPerAddressPerMinute)
  const pipeline = createPipeline({
    findKey: createFindKey(keys, refused),
    findNetwork: createFindNetwork(networks, settings.publicUrls),
    requireClientAllowed: createClientAccess(),
    queue,
    gate: createWorkGate(limits),
    charge: createCharge(quota),
    findSpent: createFindSpent(quota),
    document: await readContractText(),
    batchCallsAtOnce: settings.tuning.batchCallsAtOnce,
    memory,
  })
  const tracing = await openTraces(settings, log, started)
  const traced = tracing === undefined ? pipeline : tracing.traceRequests(pipeline)
  return logRequests(log)(countRequests(metrics, usage)(traced))
}

/** Opens the export of traces if an endpoint is set. */
async function openTraces(
  { traces }: Settings,
  log: Log,
  started: StartedParts,
): Promise<Tracing | undefined> {
  if (traces === undefined) return undefined
  const opening = openTracing(traces, (reason) =>
    log.warn({ reason }, 'traces could not be sent; logged at most once a minute'),
  )
  return started.open(opening, (tracing) => tracing.close())
}

/**
 * Returns the client address of a request: the address of the connection, or behind trusted proxies the rightmost entry
 * of `X-Forwarded-For` that is not a trusted proxy.
 * @param isProxy true for the address of a trusted proxy
 */
export function createClientAddress(isProxy: (address: string) => boolean): (request: EdgeMessage) => string {
  return ({ socket, headers }) => {
    let address = socket.remoteAddress ?? ''
    const forwarded = headers['x-forwarded-for']
    if (forwarded === undefined) return address
    for (const part of String(forwarded).split(',').reverse()) {
      const hop = part.trim()
      if (hop === '') continue
      if (!isProxy(address)) return address
      address = hop
    }
    return address
  }
}
