import { once } from 'node:events'
import { WebSocket } from 'ws'
import { memoryOf, startServer } from './idle.js'
import type { IdleMemory } from './idle-server.js'
import { processorTime } from './processes.js'

/** One of ten callers is slow. Half of the slow ones read nothing at all. */
const slowShare = 10
const quickCharacters = 32
/** Long enough to fill the buffers of the operating system for a slow caller. */
const slowCharacters = 4_096
const sipMilliseconds = 200
const second = 1_000
const megabyte = 1_000_000
/** The limit on the growth of the server's objects and buffers after its connections are open, in megabytes. */
const limit = 50

type Pace = 'quick' | 'slow' | 'stalled'

/** Memory of objects and buffers, in bytes. */
interface Growth {
  readonly first: number
  readonly highest: number
}

/** A caller with one subscription on a connection of its own. */
interface Caller {
  readonly pace: Pace
  readonly socket: WebSocket
  /** The number of items, which are in order without a gap. */
  items: number
}

/**
 * Prints the memory of our server while each of many callers has a subscription, and some of them read slowly or nothing.
 * All items must arrive in order, and callers who read nothing must be disconnected.
 * @param count number of connections, with one subscription each
 */
export async function benchSubscriptions(
  count: number,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<void> {
  const child = startServer('ours')
  const callers: Caller[] = []
  try {
    const [port] = (await once(child, 'message')) as [number]
    for (let at = 0; at < count; at++) callers.push(await subscribed(port, paceOf(at), perSecond))
    const pid = child.pid ?? 0
    const begun = { time: performance.now(), cpu: await processorTime(pid), items: itemsOf(callers, 'quick') }
    let last = await memoryOf(child)
    report(0, last)
    const growth = { first: last.heapBytes, highest: last.heapBytes }
    while (performance.now() - begun.time < seconds * second) {
      last = await memoryOf(child)
      growth.highest = Math.max(growth.highest, last.heapBytes)
      report((performance.now() - begun.time) / second, last)
    }
    const elapsed = (performance.now() - begun.time) / second
    const busy = ((await processorTime(pid)) - begun.cpu) / megabyte / elapsed
    const rate = (itemsOf(callers, 'quick') - begun.items) / elapsed
    const quick = callers.filter(({ pace }) => pace === 'quick').length
    console.log(
      `${quick} quick callers: ${rate.toFixed(0)} items a second, ${(rate / quick).toFixed(0)} each`,
    )
    console.log(`processor time of the server: ${(busy * 100).toFixed(0)} % of one core`)
    judge(callers, growth, last)
  } finally {
    for (const { socket } of callers) socket.terminate()
    child.disconnect()
  }
}

function paceOf(at: number): Pace {
  if (at % slowShare !== 0) return 'quick'
  return at % (2 * slowShare) === 0 ? 'slow' : 'stalled'
}

const itemsOf = (callers: readonly Caller[], wanted: Pace): number =>
  callers.reduce((sum, { pace, items }) => (pace === wanted ? sum + items : sum), 0)

async function subscribed(port: number, pace: Pace, perSecond: number): Promise<Caller> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, { perMessageDeflate: false })
  const caller: Caller = { pace, socket, items: 0 }
  socket.on('error', () => undefined)
  await once(socket, 'open')
  const params = [pace === 'quick' ? quickCharacters : slowCharacters, perSecond]
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'count', params }))
  socket.on('message', (data) => {
    const { params: received } = JSON.parse(String(data))
    if (received === undefined) return
    const [number] = received[1]
    if (number !== caller.items) throw new Error(`item ${number} came after ${caller.items} items`)
    caller.items += 1
    if (pace === 'slow') sip(socket)
  })
  if (pace === 'stalled') socket.pause()
  return caller
}

/** Stops reading for a while. */
function sip(socket: WebSocket): void {
  socket.pause()
  setTimeout(() => socket.resume(), sipMilliseconds)
}

function report(seconds: number, { residentBytes, heapBytes, connections }: IdleMemory): void {
  const cell = (value: number, unit: string) => `${value.toFixed(0).padStart(8)} ${unit}`
  console.log(
    `${cell(seconds, 's')}${cell(residentBytes / megabyte, 'MB resident')}${cell(heapBytes / megabyte, 'MB objects')}${cell(connections, 'connections')}`,
  )
}

function judge(callers: readonly Caller[], { first, highest }: Growth, { connections }: IdleMemory): void {
  const expected = callers.filter(({ pace }) => pace !== 'stalled').length
  if (connections !== expected) throw new Error(`${connections} connections are open instead of ${expected}`)
  const growth = (highest - first) / megabyte
  if (growth > limit)
    throw new Error(`objects grew by ${growth.toFixed(0)} MB, over the limit of ${limit} MB`)
}
