import { getHeapStatistics } from 'node:v8'
import { limits } from '@concordat/node-access-contract/contract'
import { poolSettings } from '../nodes/index.js'
import { OperatorError } from '../util/index.js'

/** The memory of a process for the requests of all users, in bytes. */
export interface ProcessMemory {
  /** Large bodies from their headers until their answers are sent. */
  readonly bodyBytes: number
  /** Bodies of queued requests. */
  readonly queuedBytes: number
  /** Large answers of nodes, from the first byte until they are handed over. */
  readonly nodeAnswerBytes: number
  /** Logs that are collected, and large answers until they are sent. */
  readonly answerBytes: number
  /** Cached answers of all networks. */
  readonly cacheBytes: number
}

/**
 * The parts of the budget; together they are the whole. A byte of the budget costs up to four bytes of the heap, so the
 * default budget is a quarter of the heap.
 */
const shares: Readonly<Record<keyof ProcessMemory, number>> = {
  // A body in work exists as bytes, as values, as the key of the cache, and as the request to the node.
  bodyBytes: 3 / 16,
  // A queued body exists once. Large ones count as bodies, too.
  queuedBytes: 2 / 16,
  // A node's answer exists as bytes, as text and as values, but only one is parsed at a time.
  nodeAnswerBytes: 4 / 16,
  // The largest answer, `logsHeldBytes`, must fit even into the smallest heap. Texts are copied once when they are sent.
  answerBytes: 6 / 16,
  // With the default heap of a large machine, 32 MiB for each of two networks.
  cacheBytes: 1 / 16,
}

/** What the largest request, alone, needs of each share, in bytes. */
const largest: Readonly<Partial<ProcessMemory>> = {
  bodyBytes: limits.bodyBytes,
  queuedBytes: limits.bodyBytes,
  nodeAnswerBytes: poolSettings.answerBytes,
  answerBytes: limits.logsHeldBytes,
}

const mebibyte = 1_048_576
const percents = 100

/**
 * Divides the memory of this process.
 * @param percent the part of the heap for requests (`tuning.memoryPercent`)
 * @param heapBytes limit of the heap; that of this process by default
 * @throws OperatorError `heap_too_small` when the largest request of the contract does not fit
 */
export function divideMemory(
  percent: number,
  heapBytes = getHeapStatistics().heap_size_limit,
): ProcessMemory {
  const budget = (heapBytes * percent) / percents
  const names = Object.keys(shares) as (keyof ProcessMemory)[]
  const needed = Math.max(...names.map((name) => (largest[name] ?? 0) / shares[name]))
  if (budget < needed) throw tooSmall(heapBytes, percent, needed)
  const entries = names.map((name) => [name, Math.floor(budget * shares[name])] as const)
  return Object.fromEntries(entries) as Record<keyof ProcessMemory, number>
}

function tooSmall(heapBytes: number, percent: number, needed: number): OperatorError {
  const inMebibytes = (bytes: number) => Math.ceil(bytes / mebibyte)
  const heap = inMebibytes((needed * percents) / percent)
  return new OperatorError(
    'heap_too_small',
    `the heap of ${inMebibytes(heapBytes)} MiB is too small for the largest request: tuning.memoryPercent is ${percent}, ` +
      `so it must have ${heap} MiB. Set NODE_OPTIONS=--max-old-space-size=${heap} or higher`,
  )
}
