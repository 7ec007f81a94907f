/**
 * Process of a well-behaved user, whose calls must stay fast during an attack. It answers each message, which describes
 * a load, with the latencies and failures of that load.
 */
import { batch, call, ended } from './isolation-work.js'
import { load, type Work } from './load.js'
import { balance, local } from './work.js'

/** `openrpc.json`, or the contract of `examples/backend`. */
export type Contract = 'ethereum' | 'stock'

/** The calls of a load. */
export interface BystanderLoad {
  /** The contract of the service. */
  readonly contract: Contract
  readonly origin: string
  /** Paths of the keys, which take turns. */
  readonly paths: readonly string[]
  /** Number of the first call. Each call has a different number, and reads a different account. */
  readonly first: number
  readonly seconds: number
  /** Calls per second. Default: 5,000 × `seconds` calls, sent as fast as the service answers. */
  readonly perSecond?: number
}

/** The answers of one kind of call. */
export interface KindOutcome {
  /** Latencies in milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly calls: number
  /** Number of failed calls by status or error. */
  readonly failures: Readonly<Record<string, number>>
}

/** The answers of a load. */
export interface BystanderOutcome {
  readonly perSecond: number
  /** Calls that the service answers itself, or sends to the node in batches. */
  readonly small: KindOutcome
  /** Calls of `eth_call`, each of which the service sends in a request of its own; batches of ten for `stock`. */
  readonly call: KindOutcome
}

/** One call of four is an `eth_call`. */
const share = 4
const sender = `0x${'0a'.repeat(20)}`
/** Most connections of a kind: enough for half the capacity if each call takes as long as the budget allows. */
const connections = 256
/** Connections that keep the service busy, each with one call at a time. */
const warmUpConnections = 32
const warmUpPerSecond = 5_000

const bodies = {
  ethereum: {
    small: (number: number) => (number % 2 === 0 ? local() : balance(number)),
    call: (number: number) => call(sender, number),
  },
  stock: {
    small: (number: number) => ended(number),
    call: (number: number) => batch(10, (id) => ended(number, id)),
  },
}

async function send(
  { origin, paths, first }: BystanderLoad,
  body: Work['body'],
  calls: number,
  perSecond?: number,
): Promise<KindOutcome & { readonly seconds: number }> {
  const failures: Record<string, number> = {}
  const onFailure = (reason: string) => {
    failures[reason] = (failures[reason] ?? 0) + 1
  }
  const path = (number: number) => paths[number % paths.length] ?? '/'
  const loaded = await load(
    { origin, path, body, perSecond, onFailure },
    first,
    calls,
    perSecond ? connections : warmUpConnections,
  )
  const at = (percent: number) => loaded.latencies[Math.floor((calls * percent) / 100)] ?? Number.NaN
  return { p50: at(50), p99: at(99), calls, failures, seconds: loaded.seconds }
}

process.on('message', async (asked: BystanderLoad) => {
  const { contract, seconds, perSecond } = asked
  const kinds = bodies[contract]
  const mixed = (number: number) => (number % share === 0 ? kinds.call(number) : kinds.small(number))
  if (perSecond === undefined) {
    const all = await send(asked, mixed, seconds * warmUpPerSecond)
    process.send?.({ perSecond: all.calls / all.seconds, small: all, call: all } satisfies BystanderOutcome)
    return
  }
  const rate = perSecond / share
  const [few, many] = await Promise.all([
    send(asked, kinds.call, Math.ceil(seconds * rate), rate),
    send(asked, kinds.small, Math.ceil(seconds * (perSecond - rate)), perSecond - rate),
  ])
  process.send?.({ perSecond, small: many, call: few } satisfies BystanderOutcome)
})
process.on('disconnect', () => process.exit(0))
