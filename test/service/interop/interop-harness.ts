import { once } from 'node:events'
import { connect } from 'node:net'
import { WebSocket } from 'undici'
import { startChild } from '../../support/child.js'

/** A process of the interoperability tests that has written the ports of its services, by name. */
export interface Services {
  readonly ports: Readonly<Record<string, number>>
  /** Resolves to its exit code or signal. */
  readonly ended: Promise<number | NodeJS.Signals>
  isRunning(): boolean
  stop(): Promise<void>
}

/** Starts a TypeScript file that writes `{"name": port}`. What it writes when it crashes is ignored. */
export async function startServices(file: URL, ...args: readonly string[]): Promise<Services> {
  const { process: child, lines, hasWritten } = startChild(file, args, 'ignore')
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  // The packages write lines of their own.
  const isPorts = (line: string) => line.startsWith('{')
  while (!lines.some(isPorts)) await hasWritten(lines.length + 1)
  return {
    ports: JSON.parse(lines.find(isPorts) ?? '{}'),
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      child.kill()
      await ended
    },
  }
}

/** A WebSocket of a test. */
export interface Talk {
  send(data: string | Uint8Array): void
  /** Sends a message and returns the next one. */
  ask(data: string | Uint8Array): Promise<string>
  /** Resolves to the close code. */
  readonly closed: Promise<number>
  close(): void
}

/** Opens a WebSocket to a local port. */
export async function openSocket(port: number | undefined): Promise<Talk> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`)
  const closed = new Promise<number>((resolve) => {
    socket.addEventListener('close', ({ code }) => resolve(code))
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  return {
    closed,
    send: (data) => socket.send(data),
    ask(data) {
      const answer = new Promise<string>((resolve) => {
        socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true })
      })
      socket.send(data)
      return answer
    },
    close: () => socket.close(),
  }
}

/** Opens a WebSocket, sends invalid frame bytes, and waits until the connection is closed. */
export async function sendFrame(port: number | undefined, frame: Uint8Array): Promise<void> {
  const socket = connect({ port: port ?? 0, host: '127.0.0.1' })
  const closed = once(socket, 'close')
  const key = Buffer.alloc(16).toString('base64')
  const lines = [
    'GET / HTTP/1.1',
    'host: x',
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
  ]
  socket.write(`${lines.join('\r\n')}\r\nsec-websocket-key: ${key}\r\n\r\n`)
  await once(socket, 'data')
  socket.resume()
  socket.write(frame)
  await closed
}
