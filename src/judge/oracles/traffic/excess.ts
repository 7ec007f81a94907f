import { groupBy } from '../../report/index.js'
import type { Counted } from './counted.js'

/** How often the remaining requests must fall by the same excess. */
const needed = {
  /** Answers to requests of one kind, if the other kinds show no other traffic. */
  ofKind: 3,
  /** Answers of other kinds without an excess. */
  others: 20,
  /** Share of the other answers that must have no excess. */
  quietShare: 0.95,
  /** Answers of all kinds. */
  ofAll: 30,
  /** Share of these that one rule must explain. */
  sameShare: 0.9,
  /** Answers that a program that sends with each request of the run cannot explain. The rule must explain all of them. */
  telling: 3,
} as const

/** Consecutive answers between which the run itself was charged a known number. */
interface Pair {
  readonly before: Counted
  readonly after: Counted
  /** What was sent since the answer before, in words. */
  readonly kind: string
  /** What the remaining requests fell by, beyond the charge. */
  readonly excess: number
  /** Requests that were sent since the answer before, those that were charged, and their charge. */
  readonly requests: number
  readonly charged: number
  readonly charge: number
}

/** An excess that other traffic cannot explain. */
export interface Excess extends Pair {
  readonly times: number
}

/**
 * Finds falls by more than the charge that other traffic cannot explain. Such a fall is the same after every request of
 * one kind and hardly occurs after other kinds, or it is one for each charged request, or a multiple of the charge. A
 * request counts only if no other request of the run was in progress during it.
 */
export function excesses(all: readonly Counted[]): readonly Excess[] {
  const pairs = pairsOf(all)
  const ofAll = excessOfAll(pairs)
  if (ofAll.length > 0) return ofAll
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

/**
 * Finds an excess after all requests. Another program can send a request with each request of the run, whatever that
 * costs. So free requests and batches must show that the excess comes from the charge. It is then the same for each
 * charged request, or proportional to the charge.
 */
function excessOfAll(pairs: readonly Pair[]): readonly Excess[] {
  const single = pairs.filter(({ requests, charge }) => requests === 1 && charge === 1)
  const [usual = []] = [...groupBy(single, ({ excess }) => String(excess)).values()].toSorted(
    (one, other) => other.length - one.length,
  )
  const [example] = usual
  if (pairs.length < needed.ofAll || example === undefined || example.excess <= 0) return []
  const rules = [({ charged }: Pair) => charged, ({ charge }: Pair) => charge]
  for (const amountOf of rules) {
    const isExplained = (pair: Pair) => pair.excess === example.excess * amountOf(pair)
    const telling = pairs.filter((pair) => amountOf(pair) !== pair.requests)
    const explained = pairs.filter(isExplained)
    const isRegular = explained.length >= needed.sameShare * pairs.length
    if (isRegular && telling.length >= needed.telling && telling.every(isExplained)) {
      return [{ ...example, kind: 'every request', times: explained.length }]
    }
  }
  return []
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
      const charge = since.reduce((sum, { charge: { least } }) => sum + least, 0)
      const kinds = [...new Set(since.map(({ kind }) => kind))].sort()
      pairs.push({
        ...{ before, after: one, kind: kinds.join(' and '), charge },
        excess: before.left - one.left - charge,
        requests: since.length,
        charged: since.filter(({ charge: { least } }) => least > 0).length,
      })
    }
    before = one
    since = []
  }
  return pairs
}
