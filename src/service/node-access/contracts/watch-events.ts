import type { AddressInput } from '@concordat/node-access-contract/types'
import type { ChainCursor, Rollback } from '../chain/chain-cursor.js'
import type { AnyLog, LogClient, LogPage, LogRange, LogsOptions } from '../chain/read-logs.js'
import { logPages } from '../logs.js'
import { type WatchLogsOptions, watchLogs } from '../watch-logs.js'
import type { Abi, EventName } from './abi.js'
import { type ContractEvent, decodeEvent, type EventFilter, eventTopics } from './decode-event.js'

/** Which events to read, and from which blocks. */
export interface EventRange<Contract extends Abi, Name extends EventName<Contract>, Item extends AnyLog>
  extends EventFilter<Contract, Name>,
    Pick<LogRange<Item>, 'fromBlock' | 'toBlock'> {
  /** The address of the contract, or of several contracts. Default: all contracts. */
  readonly address?: AddressInput | readonly AddressInput[]
}

/** All matching events of a range of blocks. */
export interface EventPage<Contract extends Abi, Name extends EventName<Contract>, Item extends AnyLog>
  extends Pick<LogPage<Item>, 'from' | 'to'> {
  readonly kind: 'events'
  /** The events, ordered by block and position. */
  readonly events: readonly ContractEvent<Contract, Name, Item>[]
  /** Logs that do not fit the ABI: they have the topic of an event, but other indexed parameters or data. */
  readonly unknown: readonly Item[]
  /** The position after this page. */
  readonly cursor: ChainCursor
}

/**
 * Reads the events of a range of any size in pages, each exactly once and in order, as `logPages` reads logs.
 * @param client a client of `createClient`; with `decode`, the logs of the events are decoded too
 * @param range the ABI, the event, the contract and the blocks
 * @param options options of `logPages`
 * @throws TypeError if the ABI has no such event, or a value does not fit
 * @throws the errors of `logPages`
 */
export function eventPages<
  const Contract extends Abi,
  const Name extends EventName<Contract>,
  Item extends AnyLog,
>(
  client: LogClient<Item>,
  range: EventRange<Contract, Name, Item>,
  options?: LogsOptions,
): AsyncGenerator<EventPage<Contract, Name, Item> | Rollback, void, undefined> {
  return decodedPages(range, logPages<Item>(client, filterOf(range), options))
}

/**
 * Follows the events of a contract by polling, each exactly once and in order, as `watchLogs` follows logs: rollbacks,
 * temporary errors and cursors are the same.
 * @param client a client of `createClient`; with `decode`, the logs of the events are decoded too
 * @param range the ABI, the event, the contract and the first block
 * @param options options of `watchLogs`
 * @throws TypeError if the ABI has no such event, or a value does not fit
 * @throws the errors of `watchLogs`
 */
export function watchEvents<
  const Contract extends Abi,
  const Name extends EventName<Contract>,
  Item extends AnyLog,
>(
  client: LogClient<Item>,
  range: Omit<EventRange<Contract, Name, Item>, 'toBlock'>,
  options?: WatchLogsOptions,
): AsyncGenerator<EventPage<Contract, Name, Item> | Rollback, void, undefined> {
  return decodedPages(range, watchLogs<Item>(client, filterOf(range), options))
}

function filterOf<Contract extends Abi, Name extends EventName<Contract>, Item extends AnyLog>({
  abi,
  eventName,
  args,
  ...range
}: EventRange<Contract, Name, Item>): LogRange<Item> {
  const filter = {
    abi,
    ...(eventName !== undefined && { eventName }),
    ...(args !== undefined && { args }),
  } as EventFilter<Contract, Name>
  return { ...range, topics: eventTopics(filter) } as object as LogRange<Item>
}

async function* decodedPages<Contract extends Abi, Name extends EventName<Contract>, Item extends AnyLog>(
  { abi, eventName }: EventFilter<Contract, Name>,
  pages: AsyncIterable<LogPage<Item> | Rollback>,
): AsyncGenerator<EventPage<Contract, Name, Item> | Rollback, void, undefined> {
  for await (const page of pages) {
    if (page.kind === 'rollback') {
      yield page
      continue
    }
    const { logs, ...range } = page
    const events: ContractEvent<Contract, Name, Item>[] = []
    const unknown: Item[] = []
    for (const log of logs) {
      const event = decodeEvent<Contract, Item, Name>(abi, log, eventName)
      if (event === undefined) unknown.push(log)
      else events.push(event)
    }
    yield { ...range, kind: 'events', events, unknown }
  }
}
