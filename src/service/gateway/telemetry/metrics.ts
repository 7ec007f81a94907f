import { errorTable, failures } from '@concordat/node-access-contract/errors'
import type { RpcError } from '@concordat/rpc'
import type { CacheOutcome } from '../cache/index.js'
import type { AcceptedKey } from '../keys/index.js'
import { DroppedMembers, type NodeCallEvent } from '../nodes/index.js'
import type { Network, Served } from '../profiles/index.js'
import type { Outcome, RequestEvent } from '../request/index.js'
import { classOf, durationBounds, type FormerUses, refusedMethod, type Usage } from '../usage/index.js'

/** Upper bounds of the classes of node calls per request. */
const nodeCallBounds = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000] as const

/** A histogram. */
export class Histogram {
  /** Upper bounds of the classes. */
  readonly bounds: readonly number[]
  /** Number of values in each class; the last one counts values over all bounds. */
  readonly classes: Float64Array
  /** Sum of all values. */
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.classes = new Float64Array(bounds.length + 1)
  }

  add(value: number): void {
    ;(this.classes[classOf(this.bounds, value)] as number)++
    this.sum += value
  }
}

/** Counts and durations of one set of labels. */
class Tally {
  readonly outcomes = new Map<string, number>()
  /** In milliseconds. */
  readonly durations = new Histogram(durationBounds)
  /** Node calls per request; empty in the tallies of nodes. */
  readonly nodeCalls = new Histogram(nodeCallBounds)

  add(outcome: string, milliseconds: number): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
    this.durations.add(milliseconds)
  }
}

/** Tallies by network and name. Maps keep updates fast, because every request updates a tally. */
class Tallies {
  readonly byNetwork = new Map<Network, Map<string, Tally>>()

  of(network: Network, name: string): Tally {
    return this.byNetwork.get(network)?.get(name) ?? this.#begin(network, name)
  }

  #begin(network: Network, name: string): Tally {
    const names = this.byNetwork.get(network) ?? new Map<string, Tally>()
    const tally = new Tally()
    this.byNetwork.set(network, names.set(name, tally))
    return tally
  }
}

/** The label of unknown methods, because callers choose their names. */
const UNKNOWN_METHOD = 'unknown'
const OK = 'ok'

const errorNames = new Map<number, string>(Object.entries(errorTable).map(([name, { code }]) => [code, name]))

/** Returns the outcome label of an error: its name in the contract. */
const outcomeOf = (code: number | undefined) => (code === undefined ? OK : (errorNames.get(code) ?? 'other'))

/**
 * Request counters of the service. An update takes a fraction of a microsecond; samples are computed only on
 * a scrape.
 */
export class Metrics {
  readonly requests = new Tallies()
  readonly nodeCalls = new Tallies()
  /** By the name of the failure. */
  readonly refused = new Map<string, number>()
  /** By the scope of the limit. */
  readonly quotaRefusals = new Map<string, number>()
  readonly cacheLookups: Served<Record<CacheOutcome, number>>
  /** By network and node, with a space between. */
  readonly contractViolations = new Map<string, number>()
  readonly droppedMembers: ReadonlyMap<Network, DroppedMembers>

  /** @param networks the served networks */
  constructor(networks: readonly Network[]) {
    this.droppedMembers = new Map(networks.map((name) => [name, new DroppedMembers()]))
    this.cacheLookups = Object.fromEntries(networks.map((name) => [name, { hit: 0, miss: 0, joined: 0 }]))
  }

  /**
   * Counts an answered JSON-RPC request.
   * @param method its name; undefined for an unknown method
   * @param code the code of its error
   * @param milliseconds time since its body was read
   * @param nodeCalls calls that were sent to nodes for it
   */
  answered(
    network: Network,
    method: string | undefined,
    code: number | undefined,
    milliseconds: number,
    nodeCalls: number,
  ): void {
    const tally = this.requests.of(network, method ?? UNKNOWN_METHOD)
    tally.add(outcomeOf(code), milliseconds)
    tally.nodeCalls.add(nodeCalls)
  }

  /**
   * Counts an HTTP request that was refused before its body was read, by the name of the contract's failure.
   */
  refuse(failure: string): void {
    count(this.refused, failure)
  }

  /** Counts a request that a quota limit refused. */
  refuseQuota(scope: string): void {
    count(this.quotaRefusals, scope)
  }

  /**
   * Returns the counters of a network: calls to nodes, answers that violate the contract, members that it does
   * not list, and cache lookups.
   */
  ofNetwork(network: Network) {
    return {
      call: ({ node, outcome, milliseconds }: NodeCallEvent) =>
        this.nodeCalls.of(network, node).add(outcome, milliseconds),
      violation: (node: string) => count(this.contractViolations, `${network} ${node}`),
      droppedMembers: this.droppedMembers.get(network) ?? new DroppedMembers(),
      lookup: (outcome: CacheOutcome) => {
        const lookups = this.cacheLookups[network]
        if (lookups !== undefined) lookups[outcome] += 1
      },
    }
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

const microsecondsPerMillisecond = 1_000

/** Names of the failures that the contract does not charge. */
const freeFailures: ReadonlySet<string> = new Set(
  Object.entries(failures).flatMap(([name, { charge }]) => (charge === 0 ? [name] : [])),
)

/** Creates the function that counts refused requests, and answered calls for the metrics and the usage statistics. */
export function countRequests(
  metrics: Metrics,
  usage: Pick<Usage, 'count'>,
  formerUses: Pick<FormerUses, 'note'>,
): (event: RequestEvent) => void {
  function count({ id, network, keyState }: AcceptedKey, outcome: Outcome): void {
    const { method, error, milliseconds, nodeCalls } = outcome
    metrics.answered(network, method, error?.code, milliseconds, nodeCalls)
    const microseconds = milliseconds * microsecondsPerMillisecond
    const isFree = error?.failure !== undefined && freeFailures.has(error.failure)
    usage.count(id, method ?? '', error?.code ?? 0, microseconds, nodeCalls, keyState, isFree)
    const scope = error && quotaScope(error)
    if (scope !== undefined) metrics.refuseQuota(scope)
  }

  return (event) => {
    const { keyRefusal } = event
    const { refusal, context, request, calls } = event.report
    const formerDigest = context?.key.formerDigest
    if (formerDigest !== undefined) formerUses.note(formerDigest, calls.length, request?.ip ?? '')
    if (refusal !== undefined) metrics.refuse(refusal.failure ?? 'other')
    if (refusal !== undefined && keyRefusal !== undefined)
      usage.count(keyRefusal.keyId, refusedMethod(keyRefusal.rule), refusal.code, 0, 0)
    event.eachOutcome((outcome, { key }) => count(key, outcome))
  }
}

/** The limit that refused a call, as in the error's `data`; undefined for other errors. */
export function quotaScope({ code, data }: RpcError): string | undefined {
  if (code !== errorTable.limitExceeded.code || typeof data !== 'object' || data === null) return undefined
  const scope = 'scope' in data ? data['scope'] : undefined
  return typeof scope === 'string' ? scope : undefined
}
