import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { isWhole, type Work } from './load.js'

/** A load that does not wait for answers. */
export interface OfferedLoad extends Pick<Work, 'origin' | 'path' | 'body'> {
  readonly perSecond: number
  readonly seconds: number
  /** Open connections, each for one request at a time. */
  readonly connections: number
}

/** An answered request. */
export interface Answered {
  /** Milliseconds from the start of the load until the request was due. */
  readonly due: number
  /** Latency in milliseconds, measured from `due`. */
  readonly latency: number
  readonly status: number
}

/** The outcome of an offered load. */
export interface Offered {
  readonly answered: readonly Answered[]
  /** Requests that were due while all connections waited for answers. */
  readonly unsent: number
  readonly seconds: number
}

/**
 * Sends requests when they are due, over connections that are open before the first one. A request without a free
 * connection is not sent later.
 * @param from number of the first request
 */
export async function offer(load: OfferedLoad, from: number): Promise<Offered> {
  const idle = await Promise.all(Array.from({ length: load.connections }, () => open(load.origin)))
  const all = [...idle]
  const answered: Answered[] = []
  const total = Math.round(load.perSecond * load.seconds)
  const startedAt = performance.now()
  let [taken, unsent, waiting] = [0, 0, 0]
  while (taken < total) {
    const due = (taken * 1_000) / load.perSecond
    const now = performance.now() - startedAt
    if (due > now) {
      await delay(Math.max(1, due - now))
      continue
    }
    const connection = idle.pop()
    const request = from + taken++
    if (connection === undefined) {
      unsent += 1
      continue
    }
    waiting += 1
    connection.send(load.path(request), load.body(request), (status) => {
      waiting -= 1
      answered.push({ due, latency: performance.now() - startedAt - due, status })
      idle.push(connection)
    })
    // Answers are read between requests.
    if (taken % 16 === 0) await new Promise(setImmediate)
  }
  while (waiting > 0) await delay(1)
  const seconds = (performance.now() - startedAt) / 1_000
  for (const { socket } of all) socket.destroy()
  return { answered, unsent, seconds }
}

interface Connection {
  readonly socket: Socket
  send(path: string, body: string, answered: (status: number) => void): void
}

async function open(origin: string): Promise<Connection> {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  socket.setEncoding('latin1')
  await once(socket, 'connect')
  let text = ''
  let answered: ((status: number) => void) | undefined
  socket.on('data', (chunk: string) => {
    text = text === '' ? chunk : text + chunk
    if (!isWhole(text)) return
    const status = Number(text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
    const done = answered
    text = ''
    answered = undefined
    done?.(status)
  })
  socket.on('close', () => answered?.(0))
  return {
    socket,
    send(path, body, done) {
      answered = done
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      )
    },
  }
}
