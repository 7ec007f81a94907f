import { connect, type Socket } from 'node:net'

/** The path and the body of each request, by its number. */
export interface Work {
  /** Port of the server. */
  readonly origin: string
  readonly path: (request: number) => string
  readonly body: (request: number) => string
  /** Requests per second. Default: as many as the server answers. */
  readonly perSecond?: number | undefined
}

/** The result of a load. */
export interface Loaded {
  readonly requests: number
  readonly seconds: number
  /** Latency of each request in milliseconds, in ascending order. */
  readonly latencies: Float64Array
}

const lineEnd = '\r\n'
const headEnd = lineEnd + lineEnd
const lastChunk = `0${headEnd}`

/**
 * Sends requests over keep-alive connections, one at a time on each. It uses plain sockets, because the load shares the
 * machine with the measured server. Every answer must be HTTP 200 with a result. Requests to a busy server are
 * repeated.
 * @param from number of the first request
 * @throws Error for the first other answer
 */
export async function load(work: Work, from: number, requests: number, connections: number): Promise<Loaded> {
  const { hostname, port } = new URL(work.origin)
  const latencies = new Float64Array(requests)
  const startedAt = performance.now()
  let next = 0
  const take = () => (next < requests ? next++ : undefined)
  const dueAt = (request: number) =>
    work.perSecond === undefined ? 0 : startedAt + (request * 1_000) / work.perSecond
  await Promise.all(
    Array.from({ length: Math.min(connections, requests) }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      await askInTurn(socket, { ...work, dueAt }, from, take, latencies)
    }),
  )
  return { requests, seconds: (performance.now() - startedAt) / 1_000, latencies: latencies.sort() }
}

function askInTurn(
  socket: Socket,
  { path, body, dueAt }: Work & { readonly dueAt: (request: number) => number },
  from: number,
  take: () => number | undefined,
  latencies: Float64Array,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let current: number | undefined
    let sentAt = 0
    let text = ''
    const ask = () => {
      current = take()
      if (current === undefined) {
        socket.destroy()
        resolve()
        return
      }
      const wait = dueAt(current) - performance.now()
      if (wait > 0) setTimeout(askNow, wait)
      else askNow()
    }
    const askNow = () => {
      sentAt = performance.now()
      send()
    }
    const send = () => {
      const request = from + (current ?? 0)
      const content = body(request)
      socket.write(
        `POST ${path(request)} HTTP/1.1${lineEnd}host: 127.0.0.1${lineEnd}content-type: application/json${lineEnd}content-length: ${content.length}${headEnd}${content}`,
      )
    }
    socket.setEncoding('latin1')
    socket.on('connect', ask)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the connection was closed')))
    socket.on('data', (chunk: string) => {
      text += chunk
      if (!isWhole(text)) return
      if (isBusy(text)) {
        text = ''
        send()
        return
      }
      latencies[current ?? 0] = performance.now() - sentAt
      if (!text.startsWith('HTTP/1.1 200') || !text.includes('"result"')) {
        socket.destroy(new Error(text))
        return
      }
      text = ''
      ask()
    })
  })
}

/** A busy server is asked again, and the retries count towards the latency. */
const isBusy = (text: string) => text.startsWith('HTTP/1.1 503') && /\nretry-after:/i.test(text)

function isWhole(text: string): boolean {
  const at = text.indexOf(headEnd)
  if (at < 0) return false
  const length = /\ncontent-length: *(\d+)/i.exec(text)?.[1]
  return length === undefined ? text.endsWith(lastChunk) : text.length >= at + headEnd.length + Number(length)
}
