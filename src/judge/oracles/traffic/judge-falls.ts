import type { InvariantForm } from '../../scenario/invariant.js'
import type { Counted } from './counted.js'
import { excesses } from './excess.js'
import {
  headerReader,
  Latest,
  recorded,
  type Seen,
  type TrafficJudge,
  type TrafficVerdict,
  trafficDefaults,
  Violations,
  withoutLongBody,
} from './seen.js'

/** A later reset by at least this time is that of the next window, in milliseconds. */
const NEXT_WINDOW = 60_000

/** Maximum number of processes that may count one limit, each with its own statement of the remaining requests. */
const MOST_PROCESSES = 16

/** Minimum number of answers that show a further process, instead of one wrong number. */
const ANSWERS_OF_A_PROCESS = 3

/**
 * Judges the arithmetic of a limit over a whole run. Between an answer and a request sent after it, the number of
 * remaining requests must fall by at least the charges of the run's requests that were sent and answered in between. Other
 * programs may use the same key, so a larger fall is a violation only if other traffic cannot explain it (`excesses`).
 */
export function judgeFalls(form: Extract<InvariantForm, { kind: 'falls' }>): TrafficJudge {
  const read = headerReader(form)
  const resetIn = form.resets === undefined ? undefined : new RegExp(form.resets, 'u')
  const requests = new Latest<Counted>(trafficDefaults.rememberedAnswers)
  return {
    see(seen) {
      if (seen.charged === undefined) return
      const found = read(seen)
      const left = found === undefined ? Number.NaN : Number(found.value)
      const seconds = found === undefined ? Number.NaN : Number(resetIn?.exec(found.text)?.[1])
      requests.add({
        seen: withoutLongBody(seen),
        ...seen.charged,
        left: Number.isSafeInteger(left) ? left : undefined,
        group: found?.group ?? '',
        reset: Number.isSafeInteger(seconds) ? resetOf(seen, seconds) : undefined,
      })
    },
    verdict: () => verdictOf(requests.items, form.header),
  }
}

function resetOf({ clock, sent, received }: Seen, seconds: number): Counted['reset'] {
  const latest = clock + seconds * 1000
  return { earliest: latest - (received - sent), latest }
}

function verdictOf(all: readonly Counted[], header: string): TrafficVerdict {
  const violations = new Violations()
  let compared = 0
  let processes = 0
  const windows = windowsOf(all)
  const isOneDay = new Set(windows.map(([first]) => first?.group)).size === windows.length
  for (const window of windows) {
    const shortfalls = shortfallsIn(window)
    compared += Math.max(0, window.length - 1)
    const count = shortfalls.some(({ isRise }) => isRise) ? processesIn(window) : 1
    processes = Math.max(processes, count)
    if (count > 1) continue
    for (const { before, after, least } of shortfalls) {
      violations.add(() => ({
        finding: {
          where: `header ${header}`,
          expected: `at most ${before.left - least} left: ${before.left} were left before, and this run was charged at least ${least} since`,
          got: `${after.left} left`,
        },
        answers: [recorded(before.seen, 1), recorded(after.seen, 2)],
      }))
    }
  }
  if (processes <= 1) {
    for (const { before, after, kind, excess, times } of isOneDay ? excesses(all) : []) {
      violations.add(() => ({
        finding: {
          where: `header ${header}`,
          expected: `a fall by the charge after ${kind}`,
          got: `a fall by ${excess} more, in all ${times} answers in which no other request was under way`,
        },
        answers: [recorded(before.seen, 1), recorded(after.seen, 2)],
      }))
    }
  }
  const hasOthers = processes <= 1 && windows.some((window) => showsOthers(window, all))
  const verdict = { ...violations.verdict(compared), ...(hasOthers && { shows: ['traffic' as const] }) }
  if (processes <= 1 || verdict.violated > 0) return verdict
  const undecided = `the remaining requests rise again and again: at least ${processes} processes state their own count`
  return { ...verdict, undecided }
}

/** A request whose answer states the remaining requests. */
type Stated = Counted & { readonly left: number }

/** Statements about one limit of one key until its reset, in order of the answers. */
function windowsOf(all: readonly Counted[]): readonly (readonly Stated[])[] {
  const open = new Map<string, Stated[]>()
  const windows: Stated[][] = []
  for (const request of all) {
    const { left, group, reset } = request
    if (left === undefined) continue
    const window = open.get(group)
    const last = window?.at(-1)
    const isNext =
      last?.reset !== undefined && reset !== undefined && reset.earliest > last.reset.latest + NEXT_WINDOW
    if (window === undefined || isNext) {
      const first = [{ ...request, left }]
      open.set(group, first)
      windows.push(first)
    } else window.push({ ...request, left })
  }
  return windows
}

interface Shortfall {
  readonly before: Stated
  readonly after: Stated
  /** What the run was charged in between, at least. */
  readonly least: number
  /** True if more requests remain than before. */
  readonly isRise: boolean
}

/**
 * Finds the answers after which more requests remain than the charges of the run allow. For each answer, the earlier
 * answer that contradicts it most is returned.
 */
function shortfallsIn(window: readonly Stated[]): readonly Shortfall[] {
  const bySent = window.toSorted((one, other) => one.seen.sent - other.seen.sent)
  const byReceived = window.toSorted((one, other) => one.seen.received - other.seen.received)
  const shortfalls: Shortfall[] = []
  for (const after of window) {
    let least = after.charge.least
    let next = bySent.length - 1
    let worst: Shortfall | undefined
    for (let at = byReceived.length - 1; at >= 0; at--) {
      const before = byReceived[at]
      if (before === undefined || before.seen.received > after.seen.sent) continue
      for (; next >= 0; next--) {
        const between = bySent[next]
        if (between === undefined || between.seen.sent < before.seen.received) break
        if (between !== after && between.seen.received <= after.seen.sent) least += between.charge.least
      }
      const missing = after.left - (before.left - least)
      const known = worst === undefined ? 0 : worst.after.left - (worst.before.left - worst.least)
      if (missing > known) worst = { before, after, least, isRise: after.left > before.left }
    }
    if (worst !== undefined) shortfalls.push(worst)
  }
  return shortfalls
}

/**
 * True if the remaining requests of a window fall by more than a mistake about failures and batches explains, so that other
 * programs use the key.
 */
function showsOthers(window: readonly Stated[], all: readonly Counted[]): boolean {
  const bySent = all.toSorted((one, other) => one.seen.sent - other.seen.sent)
  return window.some((before) => {
    // Requests that may have been charged after this answer was made.
    const later = bySent.filter(({ seen }) => seen !== before.seen && seen.received >= before.seen.sent)
    let worst = 0
    let next = 0
    return window.some((after) => {
      for (let one = later[next]; one && one.seen.sent <= after.seen.received; one = later[++next])
        worst += one.charge.worst
      return after.seen.sent >= before.seen.received && before.left - after.left > worst
    })
  })
}

/**
 * Counts the processes that explain rising numbers. Each process states its own count, which only falls. A process
 * shows in several answers; numbers that need too many processes are wrong.
 * @returns 1 if processes do not explain the numbers
 */
function processesIn(window: readonly Stated[]): number {
  const processes: { last: Stated; answers: number }[] = []
  for (const one of window) {
    const fitting = processes
      .filter(({ last }) => last.seen.received > one.seen.sent || last.left >= one.left + one.charge.least)
      .toSorted((a, b) => a.last.left - b.last.left)[0]
    if (fitting === undefined) processes.push({ last: one, answers: 1 })
    else {
      fitting.last = one
      fitting.answers++
    }
  }
  const isReal = processes.every(({ answers }) => answers >= ANSWERS_OF_A_PROCESS)
  return isReal && processes.length <= MOST_PROCESSES ? processes.length : 1
}
