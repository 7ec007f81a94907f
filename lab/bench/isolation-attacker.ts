/**
 * Process of a user who sends the most expensive requests that a key allows. Its arguments are the attack, the origin
 * of the service and the paths of the keys. Each key runs the whole attack, until the parent process disconnects. The
 * process answers each message with the number of its requests by status.
 */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { constants, getPriority, setPriority } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { type FloodName, floods, startFlood } from '../../test/support/floods.js'
import { hostileBodies, plain } from './hostile-bodies.js'
import { addresses, batch, call, ended, estimate, head, logs } from './isolation-work.js'
import { balance } from './work.js'

/** Number of requests by HTTP status or connection error. */
export type AttackCounts = Readonly<Record<string, number>>

/** How a request is sent. */
interface Manner {
  /** Reads the answer this slowly, in bytes per second. */
  readonly readPerSecond?: number
  /** Disconnects after this many milliseconds. */
  readonly leaveAfter?: number
  /** Accepts compressed answers. */
  readonly gzip?: true
}

type Send = (body: string | Buffer, manner?: Manner) => Promise<boolean>

const [name = '', origin = '', ...paths] = process.argv.slice(2)
/** Differs from the bystander's address, because nginx limits the connections of each address. */
const localAddress = '127.0.0.2'
/** Delay before a refused request is retried, so that the attack is not a flood of refused requests. */
const pauseMilliseconds = 100
const readIntervalMilliseconds = 100
/** Niceness of this process above that of the other processes. */
const lowerPriority = 10
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, localAddress })
const counts: Record<string, number> = {}
const ignore = (): void => undefined
let number = 0
const next = () => ++number

const largeBodies = [
  plain(5_000_000),
  hostileBodies['values at their limit, members']?.() ?? '',
  hostileBodies.backslashes?.() ?? '',
  hostileBodies['an open string']?.() ?? '',
].map((body) => Buffer.from(body))
const largeBody = () => largeBodies[next() % largeBodies.length] ?? ''

const slowBatch = (calls: number) => batch(calls, (id) => call(addresses.slow, next(), id))
/** Asks for logs of the whole chain, on nodes with different limits. */
const longRange = (id: number) =>
  logs(addresses.limits[id % addresses.limits.length]?.address ?? '', next() % 1_000, head, id)
const largeAnswer = () => logs(addresses.large, next(), number + 1_999)
const estimates = () => batch(50, (id) => estimate(next(), id))

/** The requests of each attack, with one key. `repeat` takes the number of concurrent requests first. */
const attacks: Readonly<Record<string, (send: Send, path: string) => unknown>> = {
  'large bodies': (send) => repeat(32, () => send(largeBody())),
  'large bodies, limit spent': (send) => repeat(32, () => send(largeBody())),
  'batches of slow calls': (send) => repeat(20, () => send(slowBatch(100))),
  'batches of 1,000 slow calls': (send) => repeat(20, () => send(slowBatch(1_000))),
  'log ranges': (send) => repeat(20, () => send(batch(20, longRange))),
  'reverting estimates': (send) => repeat(20, () => send(estimates())),
  'slow reading': (send) => repeat(32, () => send(largeAnswer(), { readPerSecond: 100_000 })),
  'large answers': (send) => repeat(8, () => send(largeAnswer())),
  'large answers, compressed': (send) => repeat(8, () => send(largeAnswer(), { gzip: true })),
  'batches of quick calls': (send) => repeat(64, () => send(batch(100, (id) => ended(next(), id)))),
  'large messages': (_, path) => repeat(32, () => sendMessages(path)),
  disconnecting: (send) =>
    repeat(64, () => {
      const bodies = [() => slowBatch(20), () => longRange(next()), largeBody, estimates, largeAnswer]
      return send(bodies[next() % bodies.length]?.() ?? '', { leaveAfter: 50 })
    }),
  'dead network, refusing': (send) => repeat(32, () => send(balance(next()))),
  'dead network, hanging': (send) => repeat(32, () => send(balance(next()))),
}

/** The attacks of a row: one, or all that one user can make on one network. */
const chosen = Object.entries(attacks).filter(([attack]) =>
  name === 'all together'
    ? !/^dead network|limit spent$|1,000|quick|messages$/.test(attack)
    : attack === name,
)

function isFlood(attack: string): attack is FloodName {
  return Object.hasOwn(floods, attack)
}

function repeat(times: number, work: () => Promise<boolean>): void {
  for (let at = 0; at < times; at++) void again(work)
}

async function again(work: () => Promise<boolean>): Promise<never> {
  for (;;) if (!(await work())) await delay(pauseMilliseconds)
}

/** Creates a function that sends requests. It resolves to true for status 200, or if the attacker disconnected. */
function sender(path: string): Send {
  return (body, manner = {}) =>
    new Promise((resolve) => {
      let status = ''
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(manner.gzip && { 'accept-encoding': 'gzip' }),
      }
      const asked = httpRequest(`${origin}${path}`, { method: 'POST', agent, headers }, (response) => {
        status = String(response.statusCode)
        response.on('error', () => undefined)
        response.on('close', () => end(status))
        if (manner.readPerSecond === undefined) response.resume()
        else void readSlowly(response, manner.readPerSecond)
      })
      const leave = setTimeout(() => asked.destroy(new Error('left')), manner.leaveAfter ?? 60_000)
      let isEnded = false
      const end = (what: string) => {
        if (isEnded) return
        isEnded = true
        clearTimeout(leave)
        counts[what] = (counts[what] ?? 0) + 1
        resolve(what === '200' || what === 'left')
      }
      asked.on('error', ({ message }) => end(message))
      // The service may close a connection before a later part of the body is written.
      asked.on('socket', (socket) => socket.off('error', ignore).on('error', ignore))
      asked.on('close', () => {
        if (status === '') end('closed')
      })
      asked.end(body)
    })
}

/** Sends large messages on a WebSocket until it closes. Each one waits for the previous answer. */
function sendMessages(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}${path}`, { localAddress })
    const send = () => socket.send(largeBody(), { binary: false })
    socket.on('open', send)
    socket.on('message', (data) => {
      const what = String(data).includes('"error"') ? 'error' : 'result'
      counts[what] = (counts[what] ?? 0) + 1
      send()
    })
    socket.on('error', () => undefined)
    socket.on('close', (code) => {
      counts[`closed ${code}`] = (counts[`closed ${code}`] ?? 0) + 1
      resolve(false)
    })
  })
}

async function readSlowly(response: IncomingMessage, perSecond: number): Promise<void> {
  const size = (perSecond * readIntervalMilliseconds) / 1_000
  while (!response.closed) {
    response.read(Math.min(size, response.readableLength))
    await delay(readIntervalMilliseconds)
  }
}

// The attacker must not take processor time from the service.
setPriority(Math.min(getPriority() + lowerPriority, constants.priority.PRIORITY_LOW))
const flood = isFlood(name) && startFlood(name, { port: Number(new URL(origin).port), from: localAddress })
for (const path of paths) for (const [, attack] of chosen) attack(sender(path), path)
process.on('message', () => process.send?.(flood || counts))
process.on('disconnect', () => process.exit(0))
