import { parseJson } from '../../contract/index.js'
import { groupBy } from '../report/text/group-by.js'
import type { Counted } from './counted.js'

/** How often the remaining requests must fall by the same excess. */
const needed = {
  /** Answers to requests of one kind, if the other kinds show no other traffic. */
  ofKind: 3,
  /** Answers of other kinds without an excess. */
  others: 20,
  /** Share of the other answers that must have no excess. */
  quietShare: 0.95,
  /** Answers of all kinds, each with an excess. */
  ofAll: 30,
  /** Share of these that must have the same excess. No traffic of others is that regular. */
  sameShare: 0.9,
} as const

/** Consecutive answers between which the run itself was charged a known number. */
interface Pair {
  readonly before: Counted
  readonly after: Counted
  /** What was sent since the answer before, in words. */
  readonly kind: string
  /** What the remaining requests fell by, beyond the charge. */
  readonly excess: number
}

/** An excess that other traffic cannot explain. */
export interface Excess extends Pair {
  readonly times: number
}

/**
 * Finds a fall by more than the charge that other traffic cannot explain, because it is the same after every request of
 * one kind and hardly occurs after others, or the same after nearly every request. Only requests count during which the run
 * had no other request under way.
 */
export function excesses(all: readonly Counted[]): readonly Excess[] {
  const pairs = pairsOf(all)
  const [first] = pairs
  if (first === undefined) return []
  if (pairs.length >= needed.ofAll && pairs.every(({ excess }) => excess > 0)) {
    const same = pairs.filter(({ excess }) => excess === first.excess)
    const isRegular = same.length >= needed.sameShare * pairs.length
    return isRegular ? [{ ...first, kind: 'every request', times: same.length }] : []
  }
  return [...groupBy(pairs, ({ kind }) => kind).values()].flatMap((group) => {
    const [example] = group
    const others = pairs.filter(({ kind }) => kind !== example?.kind)
    const quiet = others.filter(({ excess }) => excess === 0)
    const isQuiet = others.length >= needed.others && quiet.length >= needed.quietShare * others.length
    const isSteady = group.every(({ excess }) => excess > 0 && excess === example?.excess)
    if (example === undefined || !isQuiet || !isSteady || group.length < needed.ofKind) return []
    return [{ ...example, times: group.length }]
  })
}

function pairsOf(all: readonly Counted[]): readonly Pair[] {
  const bySent = all.toSorted((one, other) => one.seen.sent - other.seen.sent)
  const pairs: Pair[] = []
  let before: Counted | undefined
  let since: Counted[] = []
  let latest = Number.NEGATIVE_INFINITY
  for (const [at, one] of bySent.entries()) {
    const next = bySent[at + 1]
    const isAlone = latest <= one.seen.sent && (next === undefined || next.seen.sent >= one.seen.received)
    latest = Math.max(latest, one.seen.received)
    if (!isAlone || one.charge.least !== one.charge.most) {
      before = undefined
      since = []
      continue
    }
    since.push(one)
    if (one.left === undefined) continue
    if (before?.left !== undefined && before.group === one.group) {
      const charged = since.reduce((sum, { charge }) => sum + charge.least, 0)
      const kinds = [...new Set(since.map(kindOf))].sort()
      pairs.push({ before, after: one, kind: kinds.join(' and '), excess: before.left - one.left - charged })
    }
    before = one
    since = []
  }
  return pairs
}

function kindOf({ seen: { exchange } }: Counted): string {
  const { outgoing, reply } = exchange
  const status = reply === undefined ? 'no answer' : `HTTP ${reply.status}`
  if (outgoing.verb !== 'POST') return `${outgoing.verb} with ${status}`
  const body = parseJson(Buffer.from(outgoing.body ?? []).toString())
  const what = Array.isArray(body)
    ? 'a batch'
    : body === undefined
      ? 'a body that is not JSON'
      : 'a single request'
  return `${what} with ${status}`
}
