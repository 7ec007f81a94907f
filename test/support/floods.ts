import { connect, type Socket } from 'node:net'

/** How a flood is sent. */
interface FloodOptions {
  readonly port: number
  /** Local address of all connections. */
  readonly from: string
  /** Concurrent connections, including attempts. Default: the number of the kind. */
  readonly connections?: number
}

/** Connections of a flood so far. */
export interface FloodCounts {
  /** Connections that were established. */
  opened: number
  /** Connections that are established now. */
  open: number
  /** Connections that the other side closed or refused. */
  closed: number
}

/** Behaviour of the connections of a flood. */
interface FloodKind {
  /** The default of {@link FloodOptions.connections}. */
  readonly connections: number
  readonly send: (socket: Socket) => void
  /** Milliseconds after which the flood itself closes a connection. */
  readonly leaveAfter?: number
  /** Text that each connection sends every second. */
  readonly trickle?: string
}

/** Path with an unknown key. */
const path = `/${'a1'.repeat(15)}-T`
const start = `POST ${path} HTTP/1.1\r\nhost: x\r\n`
const announced = (bytes: number) =>
  `${start}content-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n{"jsonrpc":`
/** More connections than the shipped balancer files allow, so a flood could take all of them. */
const many = 8_300

/** The floods of callers without a key, by name. */
export const floods = {
  'unfinished bodies': {
    connections: 64,
    send: (socket) => socket.write(announced(4_900_000)),
    leaveAfter: 20,
  },
  'half headers': { connections: many, send: (socket) => socket.write(`${start}x-`) },
  'slow headers': { connections: many, send: (socket) => socket.write(start), trickle: 'x: y\r\n' },
  'slow bodies': { connections: many, send: (socket) => socket.write(announced(60_000)), trickle: ' ' },
  'a connection for each request': {
    connections: 64,
    send: (socket) => socket.write(`${start}content-type: application/json\r\ncontent-length: 2\r\n\r\n{}`),
    leaveAfter: 20,
  },
  'connections that open and close': { connections: 64, send: () => undefined, leaveAfter: 5 },
} as const satisfies Readonly<Record<string, FloodKind>>

export type FloodName = keyof typeof floods

const trickleMilliseconds = 1_000
/** Delay before a closed connection is opened again. */
const againMilliseconds = 200
/** Connections that are opened in one turn of the event loop. */
const atOnce = 100

/** Starts a flood that ends with this process. The returned counts stay up to date. */
export function startFlood(
  name: FloodName,
  { port, from, connections = floods[name].connections }: FloodOptions,
): Readonly<FloodCounts> {
  const kind: FloodKind = floods[name]
  const counts: FloodCounts = { opened: 0, open: 0, closed: 0 }
  const established = new Set<Socket>()
  const open = (): void => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from })
    let isLeaving = false
    socket.on('connect', () => {
      established.add(socket)
      counts.opened += 1
      counts.open = established.size
      kind.send(socket)
      if (kind.leaveAfter === undefined) return
      setTimeout(() => {
        isLeaving = true
        socket.destroy()
      }, kind.leaveAfter)
    })
    socket.on('data', () => undefined)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      established.delete(socket)
      counts.open = established.size
      if (!isLeaving) counts.closed += 1
      setTimeout(open, isLeaving ? 0 : againMilliseconds)
    })
  }
  let left = connections
  const openSome = (): void => {
    for (let at = 0; at < atOnce && left > 0; at++, left--) open()
    if (left > 0) setTimeout(openSome, 1)
  }
  openSome()
  const { trickle } = kind
  if (trickle !== undefined)
    setInterval(() => {
      for (const socket of established) socket.write(trickle)
    }, trickleMilliseconds)
  return counts
}
