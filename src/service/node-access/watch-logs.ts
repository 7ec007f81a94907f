import type { Rollback } from './chain/chain-cursor.js'
import { type PollOptions, poll } from './chain/poll.js'
import {
  type AnyLog,
  type LogClient,
  type LogPage,
  type LogRange,
  LogSource,
  type LogsOptions,
} from './chain/read-logs.js'

/** Options of {@link watchLogs}. */
export interface WatchLogsOptions extends LogsOptions, PollOptions {}

/**
 * Follows the logs of the chain by polling. The pages cover every block from `fromBlock` on exactly once and
 * in order, also blocks that appear between two polls. Without `fromBlock` the first block is the head.
 *
 * A rollback reports replaced blocks: discard the logs from its block on. The replacing blocks follow in the
 * next pages. Temporary errors are reported to `onError` and the poll is repeated. It ends with `break`, with
 * the signal, or with an error that is not temporary.
 * @param client a client of `createClient`; with `decode`, results are decoded too
 * @param filter address, topics and `fromBlock`
 * @param options the interval in milliseconds, `after` to resume, `maxBlocks`, `signal` and `onError`
 * @throws ReorgError if no block of the cursor is in the chain and `fromBlock` is not a number
 * @throws RangeError if `fromBlock` is neither a tag nor a whole number from 0 to 2^53 - 1
 * @throws CallError, TransportError for errors that are not temporary
 */
export function watchLogs<Item extends AnyLog>(
  client: LogClient<Item>,
  filter: Omit<LogRange<Item>, 'toBlock'>,
  options: WatchLogsOptions = {},
): AsyncGenerator<LogPage<Item> | Rollback, never, undefined> {
  const source = new LogSource('watchLogs', client, filter as LogRange<Item>, options)
  return poll(() => source.pages(), options)
}
