import { ReorgError, type Rollback } from './chain/chain-cursor.js'
import {
  type AnyLog,
  type LogClient,
  type LogPage,
  type LogRange,
  LogSource,
  type LogsOptions,
} from './chain/read-logs.js'

/**
 * Reads the logs of a range of any size, in order and each exactly once (specification 4.1 and 8). Ranges
 * follow the limits of the service. A `toBlock` above the head, or absent, is the head at the start.
 *
 * For each request of logs, the hashes of its last block and of the last block before it are compared. If
 * blocks are replaced during a request, it is repeated. Use {@link logPages} to resume later.
 * @param client a client of `createClient`; with `decode`, results are decoded too
 * @param filter address, topics, and the range with `fromBlock` and `toBlock`
 * @param options `after` resumes, `maxBlocks` limits the range of one request, `signal` cancels
 * @throws ReorgError if blocks of logs that were already returned are replaced
 * @throws RangeError if a bound is neither a tag nor a whole number from 0 to 2^53 - 1
 * @throws CallError, TransportError if a request fails after the retries of the client
 */
export async function* logs<Item extends AnyLog>(
  client: LogClient<Item>,
  filter: LogRange<Item>,
  options: LogsOptions = {},
): AsyncGenerator<Item, void, undefined> {
  for await (const page of new LogSource('logs', client, filter, options).pages()) {
    if (page.kind === 'rollback') throw new ReorgError(page.from, page.cursor)
    yield* page.logs
  }
}

/**
 * Reads logs like {@link logs}, in pages. Each page has a cursor, with which a later run continues after it:
 * `logPages(client, filter, { after: cursor })`. Pages without logs are included.
 *
 * If blocks of earlier pages are replaced, a rollback follows: discard the logs from its block on. The
 * replacing blocks follow in the next pages.
 * @param client a client of `createClient`; with `decode`, results are decoded too
 * @param filter address, topics, and the range with `fromBlock` and `toBlock`
 * @param options `after` resumes, `maxBlocks` limits the range of one request, `signal` cancels
 * @throws ReorgError if no block of the cursor is in the chain and `fromBlock` is not a number
 * @throws RangeError if a bound is neither a tag nor a whole number from 0 to 2^53 - 1
 * @throws CallError, TransportError if a request fails after the retries of the client
 */
export function logPages<Item extends AnyLog>(
  client: LogClient<Item>,
  filter: LogRange<Item>,
  options: LogsOptions = {},
): AsyncGenerator<LogPage<Item> | Rollback, void, undefined> {
  return new LogSource('logPages', client, filter, options).pages()
}
