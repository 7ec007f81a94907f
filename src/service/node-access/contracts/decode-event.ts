import type { Data } from '@concordat/node-access-contract/types'
import { type AbiEvent, decode, encode, getSelector } from 'ox/AbiEvent'
import { type Abi, type EventName, type EventSelection, type EventValues, itemsOf } from './abi.js'

/** The part of a log that holds an event. */
export interface LogData {
  readonly topics: readonly Data[]
  readonly data: Data
}

/** An event of a contract, as a union that `eventName` narrows. */
export type ContractEvent<
  Contract extends Abi,
  Name extends EventName<Contract> = EventName<Contract>,
  Item extends LogData = LogData,
> = {
  readonly [Key in Name]: {
    readonly eventName: Key
    /**
     * The values by name, or as a list if the ABI has no names. Indexed strings, bytes, lists and tuples are hashes.
     */
    readonly args: EventValues<Contract, Key>
    readonly log: Item
  }
}[Name]

/**
 * Decodes a log.
 * @param abi the ABI of the contract
 * @param log a log of the contract
 * @param eventName the only event to try. Required for anonymous events, because their logs do not identify the event
 * @returns undefined if the log does not match an event
 */
export function decodeEvent<
  const Contract extends Abi,
  Item extends LogData,
  const Name extends EventName<Contract> = EventName<Contract>,
>(abi: Contract, log: Item, eventName?: Name): ContractEvent<Contract, Name, Item> | undefined {
  for (const item of eventsOf(abi, eventName)) {
    const isAnonymous = item.anonymous === true
    if (isAnonymous ? eventName === undefined : getSelector(item) !== log.topics[0]) continue
    const indexed = item.inputs.filter((input) => input.indexed).length
    if (log.topics.length !== indexed + (isAnonymous ? 0 : 1)) continue
    const args = valuesOf(item, log)
    if (args !== undefined) return { eventName: item.name, args, log } as never
  }
  return undefined
}

/** Returns undefined if the data does not fit: another contract may index different parameters of the same event. */
function valuesOf(item: AbiEvent, { topics, data }: LogData): unknown {
  try {
    return decode(item, { topics, data }) ?? []
  } catch {
    return undefined
  }
}

/** Which events to read. */
export interface EventFilter<Contract extends Abi, Name extends EventName<Contract>> {
  readonly abi: Contract
  /** Default: all events of the ABI that are not anonymous. */
  readonly eventName?: Name
  /** Values of indexed parameters. They need an `eventName` without overloads. */
  readonly args?: EventSelection<Contract, Name>
}

/**
 * Returns the topics of `eth_getLogs` that select events.
 * @throws TypeError if the ABI has no such event, a value does not fit, or `args` are given without a unique
 *   `eventName`
 */
export function eventTopics<const Contract extends Abi, const Name extends EventName<Contract>>({
  abi,
  eventName,
  args,
}: EventFilter<Contract, Name>): readonly (null | Data | readonly Data[])[] {
  const items = eventsOf(abi, eventName)
  const [item] = items
  if (item === undefined) throw new TypeError(`the ABI has no event ${eventName ?? ''}`)
  if (args !== undefined) {
    if (eventName === undefined || items.length > 1)
      throw new TypeError('args: select one event without overloads by its eventName')
    return trimmed(encodedTopics(item, args))
  }
  const named = items.filter((one) => !one.anonymous)
  // Logs of anonymous events have no topic that identifies the event.
  if (eventName !== undefined && named.length < items.length) return []
  return [[...new Set(named.map((one) => getSelector(one)))]]
}

function encodedTopics(item: AbiEvent, args: object): readonly (null | Data | readonly Data[])[] {
  try {
    return encode(item, args as never).topics as readonly (null | Data | readonly Data[])[]
  } catch (error) {
    throw new TypeError(`${item.name}: ${(error as Error).message}`, { cause: error })
  }
}

/** Removes trailing positions that match everything. */
function trimmed<Topic>(topics: readonly (Topic | null)[]): readonly (Topic | null)[] {
  return topics.slice(0, topics.findLastIndex((topic) => topic !== null) + 1)
}

const eventsOf = (abi: Abi, eventName: string | undefined): readonly AbiEvent[] =>
  itemsOf(abi, 'event').filter(({ name }) => eventName === undefined || name === eventName)
