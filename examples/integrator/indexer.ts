import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type ChainCursor, createClient } from '@concordat/node-access'
import { watchEvents } from '@concordat/node-access/contracts'
import { abi, address } from './seed.js'

/** What a run leaves for the next one. The events and the cursor are stored together, or not at all. */
interface Store {
  readonly cursor: ChainCursor
  readonly events: readonly { readonly block: number; readonly index: number; readonly value: string }[]
}

const file = 'store.json'
let store: Store = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { cursor: [], events: [] }
function save(next: Store): void {
  store = next
  writeFileSync(`${file}.new`, JSON.stringify(store))
  renameSync(`${file}.new`, file)
}

const client = createClient(process.env['RPC_URL'] ?? '')
const range = { abi, address, eventName: 'Noted', fromBlock: '0x0' } as const
// A real indexer leaves out the end, and runs until it is stopped.
const end = Number(await client.eth_blockNumber())
const isDone = () => Number(store.cursor[0]?.number ?? -1) >= end

const onError = (error: unknown) => process.stderr.write(`${String(error)}\n`)
const pages = watchEvents(client, range, { after: store.cursor, onError })
while (!isDone()) {
  const { value: page } = await pages.next()
  if (!page) break
  const { cursor } = page
  if (page.kind === 'rollback') {
    save({ cursor, events: store.events.filter(({ block }) => block < Number(page.from)) })
    continue
  }
  const found = page.events.map(({ args, log }) => ({
    block: Number(log.blockNumber),
    index: Number(log.logIndex),
    value: String(args.value),
  }))
  save({ cursor, events: [...store.events, ...found] })
}
await pages.return()
process.stdout.write(`stored ${store.events.length} events\n`)
