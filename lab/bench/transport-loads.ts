import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { load } from './load.js'
import type { TransportName } from './transport-servers.js'

/** Sends a number of calls. Every answer must be right. */
export type Load = (calls: number) => Promise<void>

/** Calls in flight: connections of HTTP and WebSockets, and calls on the one stream of standard input. */
const inFlight = 32
/** Servers such as vscode-jsonrpc answer only one of several pending calls with the same id. */
const body = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"add","params":[19,23]}`
const sum = 42
const OPCODE_TEXT = 0x81
const MASKED = 0x80
const LENGTH = 0x7f

/** Connects the load of each transport. */
export const loads: Readonly<Record<TransportName, (port: number, child: ChildProcess) => Promise<Load>>> = {
  http: async (port) => async (calls) => {
    const work = { origin: `http://127.0.0.1:${port}`, path: () => '/', body }
    await load(work, 0, calls, inFlight)
  },
  WebSocket: async (port) => {
    const callers = await Promise.all(Array.from({ length: inFlight }, () => webSocketCaller(port)))
    return async (calls) => {
      await Promise.all(callers.map((call) => call(Math.ceil(calls / inFlight))))
    }
  },
  stdio: async (_, child) => streamCaller(child),
}

/** A caller who sends the next call after the answer to the last one. */
async function webSocketCaller(port: number): Promise<Load> {
  const socket = await upgraded(port, '/')
  return (calls) => inTurn(socket, calls, 1, (id) => socket.write(frameOf(body(id))), nextFrame)
}

/** The caller of a process with a stream of messages, which have the header `Content-Length`. */
function streamCaller({ stdin, stdout }: ChildProcess): Load {
  if (stdin === null || stdout === null) throw new Error('the process has no streams')
  const write = (text: string) => stdin.write(`Content-Length: ${text.length}\r\n\r\n${text}`)
  return (calls) => inTurn(stdout, calls, inFlight, (id) => write(body(id)), nextMessage)
}

/** A message of a buffer, and where the rest begins. */
type Next = (buffer: Buffer) => { readonly text: string; readonly next: number } | undefined

/** Sends calls, so many at once, and checks their answers. */
function inTurn(
  input: Readable,
  calls: number,
  atOnce: number,
  send: (id: number) => void,
  next: Next,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let buffer: Buffer = Buffer.alloc(0)
    let sent = 0
    let answered = 0
    const onClose = (): void => reject(new Error('the connection was closed'))
    const onData = (chunk: Buffer): void => {
      buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk])
      for (let found = next(buffer); found !== undefined; found = next(buffer)) {
        buffer = buffer.subarray(found.next)
        if (JSON.parse(found.text).result !== sum) reject(new Error(found.text))
        answered += 1
        if (sent < calls) {
          sent += 1
          send(sent)
        }
      }
      if (answered < calls) return
      input.off('data', onData)
      input.off('close', onClose)
      resolve()
    }
    input.on('data', onData)
    input.once('close', onClose)
    for (; sent < Math.min(atOnce, calls); sent += 1) send(sent)
  })
}

/** Finds the next frame of a server with at most 125 bytes (RFC 6455, section 5.2). */
const nextFrame: Next = (buffer) => {
  const end = 2 + ((buffer[1] ?? 0) & LENGTH)
  return buffer.length < Math.max(2, end) ? undefined : { text: buffer.toString('utf8', 2, end), next: end }
}

const nextMessage: Next = (buffer) => {
  const end = buffer.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const from = end + 4
  const next = from + Number(/content-length: (\d+)/i.exec(buffer.toString('latin1', 0, end))?.[1])
  return next > buffer.length ? undefined : { text: buffer.toString('utf8', from, next), next }
}

/** The frame of a short text from a client, with a mask of zero. */
export function frameOf(text: string): Buffer {
  return Buffer.concat([Buffer.of(OPCODE_TEXT, MASKED | text.length, 0, 0, 0, 0), Buffer.from(text)])
}

/** Opens a WebSocket by hand, because the load shares the machine with the server. */
export async function upgraded(port: number, path: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  const head = [
    `GET ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  if (!String(answer).startsWith('HTTP/1.1 101')) throw new Error(`no WebSocket: ${answer}`)
  return socket
}
