import { limits } from '@concordat/node-access-contract/contract'
import type { JsonObject, JsonValue } from '@concordat/rpc'
import {
  answered,
  codeOf,
  type Fault,
  type FaultHooks,
  isList,
  isObject,
  objects,
  onAnswer,
  onList,
  onParams,
  onResult,
  refused,
  without,
} from 'concordat/conformance'
import { ignoringCase, networkMembers, only, onMembers, onUnlisted } from './members.js'
import { isQuantity, moved } from './quantities.js'

const METHODS = ['eth_getLogs']

/** The members of a filter. */
const filterMembers = ['blockHash', 'address', 'fromBlock', 'toBlock', 'topics']
const listed = [...filterMembers, ...networkMembers]

/** Changes the filter before the service receives it. */
function onFilter(change: (filter: JsonObject) => JsonObject): FaultHooks {
  return onParams(METHODS, (params) => {
    const [filter, ...more] = params
    if (!isObject(filter)) return params
    const changed = change(filter)
    return changed === filter ? params : [changed, ...more]
  })
}

/** Changes the logs in an answer. */
function onLogs(
  change: (logs: readonly JsonValue[], filter: JsonObject) => readonly JsonValue[] | null,
): FaultHooks {
  return onList(METHODS, (logs, { params: [filter] }) => change(logs, isObject(filter) ? filter : {}))
}

const topicsOf = (value: JsonObject) => (isList(value['topics']) ? value['topics'] : [])

const hasTwice = (list: JsonValue | undefined) => isList(list) && new Set(list).size < list.length

/** Number of blocks in a range with two block numbers; 0 for other ranges. */
const widthOf = ({ fromBlock, toBlock }: JsonObject): bigint =>
  isQuantity(fromBlock) && isQuantity(toBlock) ? BigInt(String(toBlock)) - BigInt(String(fromBlock)) + 1n : 0n

const hasRange = (filter: JsonObject) => 'fromBlock' in filter || 'toBlock' in filter

/** Lengths of the lists in a filter, each with its limit (specification 4.1). */
const lengthsOf = (filter: JsonObject): readonly (readonly [length: number, most: number])[] => {
  const { address } = filter
  const topics = topicsOf(filter).filter(isList)
  return [
    [topicsOf(filter).length, limits.topicPositions],
    ...topics.map((list) => [list.length, limits.topicsPerPosition] as const),
    ...(isList(address) ? [[address.length, limits.addressesPerFilter] as const] : []),
  ]
}

/** Faults in log filters (specification 4.1). */
export const logsFilterFaults: readonly Fault[] = [
  {
    name: 'alternatives-at-the-second-position-match-all',
    rule: 'logs.topics',
    description: 'A list of topics at the second position matches every log.',
    begin: () =>
      onFilter((filter) => {
        const topics = topicsOf(filter)
        if (!isList(topics[1])) return filter
        return { ...filter, topics: topics.map((topic, at) => (at === 1 ? null : topic)) }
      }),
  },
  {
    name: 'third-and-fourth-topic-ignored',
    rule: 'logs.topics',
    description: 'Topics at the third and the fourth position match every log.',
    begin: () =>
      onFilter((filter) =>
        topicsOf(filter).length > 2 ? { ...filter, topics: topicsOf(filter).slice(0, 2) } : filter,
      ),
  },
  {
    name: 'wide-ranges-cut-silently',
    rule: 'logs.same-as-blocks',
    description: 'A range of more than 60 blocks has no logs.',
    begin: () => onLogs((logs, filter) => (widthOf(filter) > 60n ? [] : logs)),
  },
  {
    name: 'block-hash-beside-range-accepted',
    rule: 'logs.block-hash-excludes-range',
    description: 'A filter with blockHash and a range is accepted, and the range is ignored.',
    begin: () =>
      onFilter((filter) =>
        'blockHash' in filter && hasRange(filter) ? without(without(filter, 'fromBlock'), 'toBlock') : filter,
      ),
  },
  {
    name: 'no-range-means-from-the-first-block',
    rule: 'logs.default-latest-block',
    description: 'A filter without any block starts at the first block.',
    begin: () =>
      onFilter((filter) =>
        'blockHash' in filter || hasRange(filter) ? filter : { ...filter, fromBlock: 'earliest' },
      ),
  },
  {
    name: 'no-from-block-means-the-first-block',
    rule: 'logs.absent-bound-latest',
    description: 'An absent fromBlock beside a toBlock is the first block.',
    begin: () =>
      onFilter((filter) =>
        'toBlock' in filter && !('fromBlock' in filter) ? { ...filter, fromBlock: 'earliest' } : filter,
      ),
  },
  {
    name: 'no-to-block-means-from-block',
    rule: 'logs.absent-bound-latest',
    description: 'An absent toBlock beside a fromBlock is the same block.',
    begin: () =>
      onFilter((filter) => {
        const { fromBlock, toBlock } = filter
        return fromBlock !== undefined && toBlock === undefined ? { ...filter, toBlock: fromBlock } : filter
      }),
  },
  {
    name: 'second-topic-ignored',
    rule: 'logs.topics',
    description: 'Only the first position of topics is compared.',
    begin: () =>
      onFilter((filter) =>
        topicsOf(filter).length > 1 ? { ...filter, topics: topicsOf(filter).slice(0, 1) } : filter,
      ),
  },
  {
    name: 'topic-positions-ignored',
    rule: 'logs.topics',
    description: 'A topic matches at any position of a log.',
    begin: () => ({
      ...onFilter((filter) => (topicsOf(filter).length > 0 ? without(filter, 'topics') : filter)),
      ...onLogs((logs, filter) => {
        const wanted = topicsOf(filter).filter((topic) => topic !== null)
        if (wanted.length === 0) return logs
        return objects(logs).filter((log) =>
          wanted.every((topic) => [topic].flat().some((one) => topicsOf(log).includes(one))),
        )
      }),
    }),
  },
  {
    name: 'address-twice-finds-logs-twice',
    rule: 'logs.address',
    description: 'If a filter names an address twice, each of its logs is returned twice.',
    begin: () =>
      onLogs((logs, filter) => (hasTwice(filter['address']) ? logs.flatMap((log) => [log, log]) : logs)),
  },
  {
    name: 'address-twice-refused',
    rule: 'logs.address',
    description: 'A filter that names an address twice is refused.',
    begin: () =>
      onAnswer(METHODS, (answer, { params: [filter] }) =>
        isObject(filter) && hasTwice(filter['address'])
          ? refused(answer, -32602, 'the addresses are not unique')
          : answer,
      ),
  },
  {
    name: 'topic-alternatives-cut-to-one',
    rule: 'logs.topics',
    description: 'Only the first topic of a list at one position is compared.',
    begin: () =>
      onFilter((filter) =>
        topicsOf(filter).some((topic) => isList(topic) && topic.length > 1)
          ? { ...filter, topics: topicsOf(filter).map((topic) => (isList(topic) ? (topic[0] ?? []) : topic)) }
          : filter,
      ),
  },
  {
    name: 'null-topic-matches-no-topic',
    rule: 'logs.topics-null-any',
    description: 'A null position of topics matches only logs without a topic there.',
    begin: () =>
      onLogs((logs, filter) => {
        const nulls = topicsOf(filter).flatMap((topic, position) => (topic === null ? [position] : []))
        if (nulls.length === 0) return logs
        return objects(logs).filter((log) => nulls.every((position) => topicsOf(log)[position] === undefined))
      }),
  },
  {
    name: 'positions-beyond-the-filter-must-be-empty',
    rule: 'logs.topics-null-any',
    description: 'A log with more topics than the filter has positions does not match.',
    begin: () =>
      onLogs((logs, filter) =>
        topicsOf(filter).length === 0 || logs.length === 0
          ? logs
          : objects(logs).filter((log) => topicsOf(log).length <= topicsOf(filter).length),
      ),
  },
  {
    name: 'address-ignored',
    rule: 'logs.address',
    description: 'Logs of all addresses are returned for every filter.',
    begin: () => onFilter((filter) => ('address' in filter ? without(filter, 'address') : filter)),
  },
  {
    name: 'address-list-cut-to-one',
    rule: 'logs.address',
    description: 'Only the first address of a list is compared.',
    begin: () =>
      onFilter((filter) => {
        const { address } = filter
        return isList(address) && address.length > 1 ? { ...filter, address: address.slice(0, 1) } : filter
      }),
  },
  {
    name: 'null-member-refused',
    rule: 'logs.null-members-absent',
    description: 'A null member of a filter is refused.',
    begin: () => ({
      answer: (answer, { method, params }) =>
        METHODS.includes(method) &&
        isList(params) &&
        isObject(params[0]) &&
        Object.values(params[0]).includes(null)
          ? refused(answer, -32602, 'invalid argument 0: unexpected null')
          : answer,
    }),
  },
  {
    name: 'empty-list-matches-nothing',
    rule: 'logs.empty-lists-match-any',
    description: 'An empty list as address or in a position of topics matches no log.',
    begin: () =>
      onLogs((logs, filter) =>
        logs.length > 0 &&
        [filter['address'], ...topicsOf(filter)].some((part) => isList(part) && !part.length)
          ? []
          : logs,
      ),
  },
  {
    name: 'pending-bound-refused',
    rule: 'logs.pending-means-latest',
    description: 'The tag pending is refused as a bound of a range.',
    begin: () => ({
      answer: (answer, { method, params }) =>
        METHODS.includes(method) && JSON.stringify(params).includes('"pending"')
          ? refused(answer, -32602, 'pending logs are not supported')
          : answer,
    }),
  },
  {
    name: 'range-one-block-too-long',
    rule: 'logs.within-range',
    description: 'The logs of the block after the range are returned too.',
    begin: () =>
      onFilter((filter) =>
        isQuantity(filter['toBlock']) ? { ...filter, toBlock: moved(filter['toBlock'], 1) } : filter,
      ),
  },
  {
    name: 'range-without-its-last-block',
    rule: 'logs.same-as-blocks',
    description: 'The last block of a range is omitted.',
    begin: () =>
      onFilter((filter) => {
        const { fromBlock, toBlock } = filter
        const isLong = isQuantity(fromBlock) && isQuantity(toBlock) && BigInt(toBlock) > BigInt(fromBlock)
        return isLong ? { ...filter, toBlock: moved(toBlock, -1) } : filter
      }),
  },
  {
    name: 'no-logs-is-null',
    rule: 'logs.none-empty-list',
    description: 'The result is null if no log matches.',
    begin: () => onResult(METHODS, (logs) => (isList(logs) && logs.length === 0 ? null : logs)),
  },
  {
    name: 'unknown-block-hash-is-an-error',
    rule: 'logs.unknown-block-hash-empty',
    description: 'A filter by the hash of a block that does not exist is answered with an error.',
    begin: () => ({
      async answer(answer, { method, params }, ask) {
        const filter = METHODS.includes(method) && isList(params) ? params[0] : undefined
        if (!isObject(filter) || typeof filter['blockHash'] !== 'string' || !isList(answer.result))
          return answer
        const { result } = await ask('eth_getBlockByHash', [filter['blockHash'], false])
        return result === null ? refused(answer, -32001, 'unknown block') : answer
      },
    }),
  },
  {
    name: 'topics-ignored',
    rule: 'logs.topics',
    description: 'Logs with any topics are returned for every filter.',
    begin: () => onFilter((filter) => (topicsOf(filter).length > 0 ? without(filter, 'topics') : filter)),
  },
  {
    name: 'too-long-lists-accepted',
    rule: 'logs.list-bounds',
    description: 'Lists of any length are accepted as address and as topics.',
    begin: () =>
      onAnswer(METHODS, (answer, { params: [filter] }) =>
        codeOf(answer) === -32602 &&
        isObject(filter) &&
        lengthsOf(filter).some(([length, most]) => length > most)
          ? answered(answer, [])
          : answer,
      ),
  },
  {
    name: 'lists-at-their-bounds-refused',
    rule: 'logs.list-bounds',
    description: 'Lists with exactly the maximum length are refused.',
    begin: () =>
      onAnswer(METHODS, (answer, { params: [filter] }) =>
        isObject(filter) && lengthsOf(filter).some(([length, most]) => length === most)
          ? refused(answer, -32602, 'exceed max topics')
          : answer,
      ),
  },
  {
    name: 'other-tags-in-filters-mean-latest',
    rule: 'block.other-tags-refused',
    description: 'Tags such as `safe` and `finalized` are taken for `latest` as bounds of a range.',
    begin: () =>
      onFilter((filter) => {
        const other = Object.entries(filter).filter(([, tag]) => tag === 'safe' || tag === 'finalized')
        return other.length === 0
          ? filter
          : { ...filter, ...Object.fromEntries(other.map(([name]) => [name, 'latest'])) }
      }),
  },
  {
    name: 'network-members-of-a-filter-refused',
    rule: 'logs.other-members',
    description: 'A filter that names its network is refused.',
    begin: () => onMembers(METHODS, networkMembers),
  },
  {
    name: 'unlisted-filter-members-dropped',
    rule: 'logs.other-members',
    description: 'Members of a filter that the contract does not list are dropped silently.',
    begin: () => onFilter((filter) => only(filter, listed)),
  },
  {
    name: 'case-of-filter-members-ignored',
    rule: 'logs.other-members',
    description: 'The names of members of a filter are case-insensitive.',
    begin: () => onFilter((filter) => ignoringCase(filter, filterMembers)),
  },
  {
    name: 'unlisted-filter-member-not-named',
    rule: 'logs.other-members',
    description: 'The refusal of a member of a filter does not name it.',
    begin: () => onUnlisted(METHODS, listed),
  },
]
