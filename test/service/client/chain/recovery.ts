import t from 'tap'
import { type Abi, type EventPage, watchEvents } from '../../../../src/service/node-access/contracts/index.js'
import {
  createClient,
  isRpcError,
  isTransportError,
  type LogPage,
  type Rollback,
  type WatchLogsOptions,
  watchLogs,
} from '../../../../src/service/node-access/index.js'
import { createKey, runKeys } from '../../../support/keys.js'
import { until } from '../../../support/until.js'
import { caught, startOwnChain } from './own-chain.js'

const noted = {
  type: 'event',
  name: 'Noted',
  inputs: [{ type: 'uint256', name: 'value', indexed: false }],
} as const
const abi = [noted] as const satisfies Abi

const chain = await startOwnChain(t)
const owner = ['--user', 'watches@example.com', '--network', 'test', '--name'] as const
const key = await createKey(chain.service, ...owner, 'watched')
const client = createClient(key.url, { retry: false })

type Page = LogPage | EventPage<typeof abi, 'Noted', LogPage['logs'][number]> | Rollback

/** A log by its place in the chain. */
type Place = readonly [block: number, index: number]

/** What a program stores in one transaction: the places of logs, and the cursor. */
interface Store {
  places: Place[]
  cursor: string
}

/** Stores pages until a condition holds. */
async function follow(store: Store, pages: AsyncIterable<Page>, isEnough: () => boolean): Promise<void> {
  for await (const page of pages) {
    if (page.kind === 'rollback') {
      const { from } = page
      store.places = store.places.filter(([block]) => block < Number(from))
    } else {
      const logs = page.kind === 'logs' ? page.logs : page.events.map(({ log }) => log)
      store.places.push(...logs.map((log) => [Number(log.blockNumber), Number(log.logIndex)] as const))
    }
    store.cursor = JSON.stringify(page.cursor)
    if (isEnough()) return
  }
}

type Start = (fromBlock: `0x${string}`, options: WatchLogsOptions) => AsyncIterable<Page>
const address = chain.contract
const watches: Readonly<Record<string, { readonly start: Start; readonly logsOfFive: number }>> = {
  watchLogs: {
    start: (fromBlock, options) => watchLogs(client, { address, fromBlock }, options),
    logsOfFive: 5,
  },
  watchEvents: {
    start: (fromBlock, options) => watchEvents(client, { address, abi, fromBlock }, options),
    logsOfFive: 1,
  },
}

for (const [name, { start, logsOfFive }] of Object.entries(watches)) {
  t.test(`${name} outlives a disabled key, restarts, a spent limit and a reorganisation`, async (t) => {
    await chain.emit(5)
    const head = await chain.head()
    const fromBlock = `0x${(Number(head.number) + 1).toString(16)}` as const
    const store: Store = { places: [], cursor: '[]' }
    let errors: unknown[] = []
    const watch = (signal?: AbortSignal) =>
      start(fromBlock, {
        ...{ after: JSON.parse(store.cursor), intervalMilliseconds: 20, signal },
        onError: (error) => void errors.push(error),
      })
    const has = (blocks: number) => () => store.places.length >= blocks * logsOfFive

    await chain.emit(5)
    const disabled = follow(store, watch(), has(2))
    await until(has(1))
    await runKeys(chain.service, 'disable', key.id)
    await chain.emit(5)
    await until(() => errors.some((error) => isRpcError(error, 'unauthorized')))
    t.equal(store.places.length, logsOfFive)
    await runKeys(chain.service, 'enable', key.id)
    await disabled

    errors = []
    const restarted = follow(store, watch(), has(3))
    await chain.restart(async () => {
      await chain.emit(5)
      await until(() => errors.some((error) => isTransportError(error, 'network')))
      t.equal(store.places.length, 2 * logsOfFive)
    })
    await restarted

    errors = []
    await runKeys(chain.service, 'set', key.id, '--monthly-limit', '1')
    const stop = new AbortController()
    const reason = new Error('the process ends')
    const spent = caught(follow(store, watch(stop.signal), has(4)))
    await until(() => errors.some((error) => isRpcError(error, 'limitExceeded')))
    stop.abort(reason)
    t.equal(await spent, reason, 'a watch waits for the reset until it is stopped')
    const undo = await chain.snapshot()
    await chain.emit(5)
    await runKeys(chain.service, 'set', key.id, '--monthly-limit', 'none')
    await follow(store, watch(), has(4))
    await undo()
    await chain.mine(2)
    await chain.emit(5)
    await chain.emit(5)
    await follow(store, watch(), has(5))

    const places = store.places.map(([block, index]) => block * 1_000 + index)
    t.same(
      places,
      [...new Set(places)].sort((a, b) => a - b),
      'each log once and in order',
    )
    const blocks = [1, 2, 3, 6, 7].map((more) => Number(head.number) + more)
    t.same([...new Set(store.places.map(([block]) => block))], blocks)
  })
}
