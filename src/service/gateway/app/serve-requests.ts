import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extensions, limits } from '@concordat/node-access-contract/contract'
import { createHttpServer, type ListenOptions, type Otherwise, type RunningServer } from '@concordat/server'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { createLoopbackClient, type LoopbackClient } from '../dashboard/index.js'
import {
  clientPrefixOf,
  createAddressMatch,
  createClientAccess,
  createRefusedAddresses,
  keyPattern,
} from '../keys/index.js'
import type { OpenNetwork } from '../networks/index.js'
import type { Served } from '../profiles/index.js'
import {
  createContext,
  createFindKey,
  createFindNetwork,
  createRequestService,
  RequestEvent,
} from '../request/index.js'
import {
  countRequests,
  type Log,
  logRequests,
  type Metrics,
  openTracing,
  type Tracing,
} from '../telemetry/index.js'
import type { Settings } from './config.js'
import type { ProcessMemory } from './memory-shares.js'
import type { SharedParts } from './open-keys.js'
import type { StartedParts } from './started-parts.js'

const { paths, cors } = extensions['x-http']
/** The parts that requests need. */
export interface RequestParts extends SharedParts {
  readonly networks: Served<OpenNetwork>
  readonly metrics: Metrics
  readonly memory: ProcessMemory
}

/** The HTTP server of the service, before it listens. */
export interface RequestServer {
  /** The pages. They have no socket: the server passes their requests on. */
  readonly app: FastifyInstance
  /** Serves the paths of keys and the pages. */
  listen(address: ListenOptions): Promise<RunningServer>
  /** Number of queued requests. */
  readonly queued: () => number
  readonly loopbackClient: LoopbackClient
}

/**
 * Creates the HTTP server and serves requests at the paths of keys.
 * @param inForce the limits in force, whose members change at a reload
 */
export async function serveRequests(
  settings: Settings,
  inForce: Settings['limits'],
  log: Log,
  parts: RequestParts,
  started: StartedParts,
  listening: () => AddressInfo | undefined,
): Promise<RequestServer> {
  const trustProxy = createAddressMatch(settings.trustedProxies)
  const clientAddress = createClientAddress(trustProxy, (address) =>
    log.warn(
      { address },
      'X-Forwarded-For comes from an address that is not in trustedProxies, so all clients behind it count as one; logged once',
    ),
  )
  const loopbackClient = createLoopbackClient(listening, clientAddress)
  const tracing = await openTraces(settings, log, started)
  const service = createGatewayService(settings, log, parts)
  const context = createContext({
    findKey: createFindKey(parts.keys, createRefusedAddresses(limits.refusedKeysPerAddressPerMinute)),
    findNetwork: createFindNetwork(parts.networks, settings.publicUrls),
    requireClientAllowed: createClientAccess(),
    startTrace: tracing?.startTrace,
  })
  const { app, serve } = createPages(trustProxy, clientAddress)
  const server = createHttpServer({
    service,
    context,
    cors,
    path: paths.map((path) => path.replace(/{(\w+)}/g, ':$1')),
    paramPatterns: { key: keyPattern },
    otherwise: serve,
    countedAs: (address) => (trustProxy(address) ? undefined : clientPrefixOf(address).client),
    connectionLimits: inForce,
    addressOf: loopbackClient.addressOf,
    fastLane: settings.tuning.httpParser === 'fast-lane',
    onClose: () => app.close(),
  })
  const listen = async (address: ListenOptions) => {
    await app.ready()
    return server.listen(address)
  }
  return { app, listen, queued: service.queued, loopbackClient }
}

/** Creates the service of the contract. One event of each request is counted, traced and logged. */
function createGatewayService(settings: Settings, log: Log, parts: RequestParts) {
  const logged = logRequests(log)
  const counted = countRequests(parts.metrics, parts.usage, parts.formerUses)
  return createRequestService({
    quota: parts.quota,
    memory: parts.memory,
    queuedRequests: settings.tuning.queuedRequests,
    compressionsAtOnce: settings.tuning.compressionsAtOnce,
    batchCallsAtOnce: settings.tuning.batchCallsAtOnce,
    onRequest(report) {
      const event = new RequestEvent(report)
      counted(event)
      if (report.status !== undefined) report.context?.trace?.end(report)
      logged(event)
      parts.failures.note(event)
      return event.headers
    },
  })
}

/** Creates the server of the pages. A path without a page is left to the service. */
function createPages(trustProxy: (address: string) => boolean, clientAddress: ClientAddress) {
  const nextOf = new WeakMap<IncomingMessage, () => void>()
  const leave = (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack()
    nextOf.get(request.raw)?.()
  }
  const app = Fastify({
    trustProxy,
    logger: false,
    return503OnClosing: false,
    bodyLimit: limits.bodyBytes,
    // A path that cannot be decoded.
    frameworkErrors: (_error, request, reply) => leave(request, reply),
  })
  app.setNotFoundHandler(leave)
  // Runs before the body is read, which the service does, too. A GET has no body, and browsers get a page for it.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404 && request.method !== 'GET' && request.method !== 'HEAD') leave(request, reply)
    else done()
  })
  const serve: Otherwise = (request, response, next) => {
    // Called to log untrusted proxies. Fastify determines the address itself, without logging them.
    clientAddress(request)
    nextOf.set(request, next)
    app.routing(request, response)
  }
  return { app, serve }
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

/** Returns the client address of a request. */
type ClientAddress = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string

/**
 * Creates a function that returns the client address of a request: the address of the connection, or behind trusted
 * proxies the rightmost entry of `X-Forwarded-For` that is not a trusted proxy.
 * @param isProxy returns true for the address of a trusted proxy
 * @param onUntrusted called once, with the first untrusted address that sends the header
 */
export function createClientAddress(
  isProxy: (address: string) => boolean,
  onUntrusted: (address: string) => void,
): ClientAddress {
  let isTold = false
  return ({ socket, headers }) => {
    let address = socket.remoteAddress ?? ''
    const forwarded = headers['x-forwarded-for']
    if (forwarded === undefined) return address
    for (const part of String(forwarded).split(',').reverse()) {
      const hop = part.trim()
      if (hop === '') continue
      if (!isProxy(address)) {
        if (!isTold && address === socket.remoteAddress) {
          isTold = true
          onUntrusted(address)
        }
        return address
      }
      address = hop
    }
    return address
  }
}
