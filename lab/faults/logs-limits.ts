import { limits } from '@concordat/node-access-contract/contract'
import type { JsonObject, JsonValue } from '@concordat/rpc'
import {
  type Ask,
  answered,
  type CallAnswer,
  codeOf,
  type Fault,
  type FaultHooks,
  isList,
  isObject,
  objects,
  onAnswer,
  onList,
  refused,
  without,
} from 'concordat/conformance'
import { isQuantity, moved } from './quantities.js'

const METHODS = ['eth_getLogs']

/** Block span without a log limit, and maximum logs for longer ranges (specification 8). */
const FREE_SPAN = BigInt(limits.blockSpanWithoutLogLimit)
const LOGS = limits.logsPerAnswer

const filterOf = (params: readonly JsonValue[]): JsonObject => (isObject(params[0]) ? params[0] : {})

/** Changes the error for a range with too many logs, which suggests a shorter range. */
function onOverLimit(
  change: (answer: CallAnswer, data: JsonObject, filter: JsonObject, ask: Ask) => Promise<CallAnswer>,
): FaultHooks {
  return onAnswer(METHODS, async (answer, { params, ask }) => {
    const data = isObject(answer.error) ? answer.error['data'] : undefined
    return isObject(data) && isQuantity(data['to']) ? change(answer, data, filterOf(params), ask) : answer
  })
}

/** Moves the end of the suggested range, both in the message and in the data. */
function suggestedEndMoved(by: number): FaultHooks {
  return onOverLimit(async (answer, data) => {
    const to = moved(data['to'], by)
    const message = `Log response size exceeded: query returned more than ${data['limit']} results. Try with this block range [${data['from']}, ${to}], this block range should work: [${data['from']}, ${to}]`
    return refused(answer, -32602, message, { ...data, to: to ?? null })
  })
}

function spanOf({ fromBlock, toBlock }: JsonObject): bigint {
  return isQuantity(fromBlock) && isQuantity(toBlock) ? BigInt(toBlock) - BigInt(fromBlock) + 1n : 0n
}

const tooMany = (answer: CallAnswer, { fromBlock }: JsonObject) =>
  refused(answer, -32602, `query returned more than ${LOGS} results`, {
    from: fromBlock ?? '0x0',
    to: fromBlock ?? '0x0',
    limit: LOGS,
  })

/** Faults in ranges, limits and order of logs (specification 4.1 and 8). */
export const logsLimitsFaults: readonly Fault[] = [
  {
    name: 'reversed-range-is-empty',
    rule: 'logs.range-reversed',
    description: 'A range whose end is before its start is answered with [].',
    begin: () =>
      onAnswer(METHODS, (answer, { params }) => {
        const { fromBlock, toBlock } = filterOf(params)
        const isReversed = isQuantity(fromBlock) && isQuantity(toBlock) && BigInt(fromBlock) > BigInt(toBlock)
        return isReversed && codeOf(answer) === -32602 ? answered(answer, []) : answer
      }),
  },
  {
    name: 'range-above-the-head-is-an-error',
    rule: 'logs.from-above-head-empty',
    description: 'A range that starts above the most recent block is an error.',
    begin: () =>
      onAnswer(METHODS, async (answer, { params, ask }) => {
        const { fromBlock } = filterOf(params)
        if (!isQuantity(fromBlock)) return answer
        const { result: head } = await ask('eth_blockNumber', [])
        return isQuantity(head) && BigInt(fromBlock) > BigInt(head)
          ? refused(answer, -32602, 'block range extends beyond the current head')
          : answer
      }),
  },
  {
    name: 'range-past-the-head-is-an-error',
    rule: 'logs.to-clipped',
    description: 'A range that ends above the most recent block is an error.',
    begin: () =>
      onAnswer(METHODS, async (answer, { params, ask }) => {
        const { toBlock } = filterOf(params)
        if (!isQuantity(toBlock)) return answer
        const { result: head } = await ask('eth_blockNumber', [])
        return isQuantity(head) && BigInt(toBlock) > BigInt(head)
          ? refused(answer, -32602, 'block range extends beyond the current head')
          : answer
      }),
  },
  {
    name: 'too-many-logs-are-cut',
    rule: 'logs.over-limit-error',
    description: 'A range with too many logs is answered with the first logs.',
    begin: () =>
      onOverLimit(async (answer, data, filter, ask) => {
        const { result } = await ask('eth_getLogs', [{ ...filter, toBlock: data['to'] }])
        return isList(result) ? answered(answer, result) : answer
      }),
  },
  {
    name: 'over-limit-has-another-code',
    rule: 'logs.over-limit-error',
    description: 'A range with too many logs is refused with -32005, which clients retry.',
    begin: () =>
      onOverLimit(async (answer) => ({
        ...answer,
        error: { ...(answer.error as JsonObject), code: -32005 },
      })),
  },
  {
    name: 'over-limit-in-other-words',
    rule: 'logs.over-limit-error',
    description: 'The error for a range with too many logs has a message that programs do not recognise.',
    begin: () =>
      onOverLimit(async (answer, data) =>
        refused(answer, -32602, `too many logs, try [${data['from']}, ${data['to']}]`, data),
      ),
  },
  {
    name: 'suggested-range-one-block-too-long',
    rule: 'logs.suggested-range',
    description: 'The suggested range ends one block too late, so it is refused too.',
    begin: () => suggestedEndMoved(1),
  },
  {
    name: 'suggested-range-one-block-too-short',
    rule: 'logs.suggested-range',
    description: 'The suggested range ends one block too early.',
    begin: () => suggestedEndMoved(-1),
  },
  {
    name: 'exactly-the-limit-refused',
    rule: 'logs.span-limit',
    description: 'A long range with exactly the maximum number of logs is refused.',
    begin: () =>
      onAnswer(METHODS, (answer, { params }) => {
        const filter = filterOf(params)
        const isFull = isList(answer.result) && answer.result.length === LOGS
        return isFull && spanOf(filter) > FREE_SPAN ? tooMany(answer, filter) : answer
      }),
  },
  {
    name: 'short-range-limited',
    rule: 'logs.span-limit',
    description: 'A short range, which may have any number of logs, is limited like a long range.',
    begin: () =>
      onAnswer(METHODS, (answer, { params }) =>
        isList(answer.result) && answer.result.length > LOGS ? tooMany(answer, filterOf(params)) : answer,
      ),
  },
  {
    name: 'logs-newest-first',
    rule: 'logs.ordered',
    description: 'Logs are returned in reverse order.',
    begin: () => onList(METHODS, (logs) => (logs.length > 1 ? logs.toReversed() : logs)),
  },
  {
    name: 'log-index-counts-from-zero-in-each-transaction',
    rule: 'logs.ordered',
    description: 'logIndex is the position in the transaction instead of the position in the block.',
    begin: () =>
      onList(METHODS, (logs) => {
        const seen = new Map<JsonValue | undefined, number>()
        return objects(logs).map((log) => {
          const index = seen.get(log['transactionHash']) ?? 0
          seen.set(log['transactionHash'], index + 1)
          return { ...log, logIndex: `0x${index.toString(16)}` }
        })
      }),
  },
  {
    name: 'last-log-dropped',
    rule: 'logs.same-as-receipts',
    description: 'The last log of an answer is missing.',
    begin: () => onList(METHODS, (logs) => (logs.length > 1 ? logs.slice(0, -1) : logs)),
  },
  {
    name: 'logs-of-a-page-only',
    rule: 'logs.whole-or-error',
    description: 'An answer silently ends after 100 logs.',
    begin: () => onList(METHODS, (logs) => (logs.length > 100 ? logs.slice(0, 100) : logs)),
  },
  {
    name: 'block-hash-filter-misses-a-log',
    rule: 'logs.same-by-hash-and-range',
    description: 'The first log of a block is missing if the filter has the block hash.',
    begin: () =>
      onList(METHODS, (logs, { params }) =>
        'blockHash' in filterOf(params) && logs.length > 0 ? logs.slice(1) : logs,
      ),
  },
  {
    name: 'logs-marked-as-removed',
    rule: 'log.members',
    description: 'Logs are marked as removed from the chain.',
    begin: () => onList(['eth_getLogs'], (logs) => objects(logs).map((log) => ({ ...log, removed: true }))),
  },
  {
    name: 'log-member-missing',
    rule: 'log.members',
    description: 'Logs lack transactionIndex.',
    begin: () =>
      onList(METHODS, (logs) =>
        logs.length > 0 ? objects(logs).map((log) => without(log, 'transactionIndex')) : logs,
      ),
  },
  {
    name: 'block-by-hash-limited',
    rule: 'logs.block-hash-no-limit',
    description: 'A filter by block hash is refused for more than 50 logs.',
    begin: () =>
      onAnswer(METHODS, (answer, { params }) =>
        'blockHash' in filterOf(params) && isList(answer.result) && answer.result.length > 50
          ? tooMany(answer, filterOf(params))
          : answer,
      ),
  },
  {
    name: 'empty-data-is-null',
    rule: 'log.data-sizes',
    description: 'The data of a log without data is null.',
    begin: () =>
      onList(METHODS, (logs) =>
        objects(logs).some(({ data }) => data === '0x')
          ? objects(logs).map((log) => (log['data'] === '0x' ? { ...log, data: null } : log))
          : logs,
      ),
  },
  {
    name: 'mined-log-without-position',
    rule: 'log.pending-nulls',
    description: 'logIndex of the first log of a block is null, because zero is treated as missing.',
    begin: () =>
      onList(METHODS, (logs) =>
        objects(logs).some(({ logIndex }) => logIndex === '0x0')
          ? objects(logs).map((log) => (log['logIndex'] === '0x0' ? { ...log, logIndex: null } : log))
          : logs,
      ),
  },
  {
    name: 'topics-filled-up-with-nulls',
    rule: 'log.topics-at-most-four',
    description: 'Logs always have four topics, some of them null.',
    begin: () =>
      onList(METHODS, (logs) =>
        logs.length === 0
          ? logs
          : objects(logs).map((log) => {
              const topics = isList(log['topics']) ? log['topics'] : []
              return { ...log, topics: [...topics, ...Array<null>(4 - topics.length).fill(null)] }
            }),
      ),
  },
]
