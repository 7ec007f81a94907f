import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { post } from './service.js'
import { until } from './until.js'

/** Connections that send heavy requests, and count the answers. */
export class HeavyCallers {
  readonly #sockets: Socket[] = []
  readonly #answers: Promise<void>[] = []
  /** Number of answers by their status; 0 for connections that closed without one. */
  readonly statuses: Record<number, number> = {}

  /** Sends a request on a connection of its own and reads the whole answer. */
  ask(url: string, body: string): void {
    const socket = this.#send(url, body)
    const closed = new Promise<void>((resolve) => socket.once('close', resolve))
    this.#answers.push(closed)
    socket.once('data', (chunk: Buffer) => this.#count(chunk))
    socket.resume()
    closed.then(() => socket.bytesRead === 0 && this.#count())
  }

  /** Sends a request on a connection of its own and reads only the beginning of the answer. */
  askSlowly(url: string, body: string): void {
    const socket = this.#send(url, body)
    socket.once('data', (chunk: Buffer) => {
      socket.pause()
      this.#count(chunk)
    })
  }

  /** Resolves when the connections of `ask` have closed. */
  async areAnswered(): Promise<void> {
    await Promise.all(this.#answers)
  }

  /** Closes all connections. */
  leave(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy()
  }

  #send(url: string, body: string): Socket {
    const { port, pathname } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1')
    this.#sockets.push(socket)
    // The service may close the connection after a refusal.
    socket.on('error', () => undefined)
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    return socket
  }

  #count(answer?: Buffer): void {
    const status = Number(/^HTTP\/1.1 (\d+)/.exec(answer?.toString('latin1', 0, 16) ?? '')?.[1] ?? 0)
    this.statuses[status] = (this.statuses[status] ?? 0) + 1
  }
}

/** Pauses between the calls of a bystander while a test waits for its answers, and otherwise; milliseconds. */
const [shortPause, longPause] = [2, 100]

/** A caller of another user, whose calls to nodes and local calls must be answered all the time. */
export class Bystander {
  readonly failures: string[] = []
  answered = 0
  /** The number of answers that a test waits for. */
  #wanted = 0
  #isLeaving = false
  readonly #done: Promise<void>

  constructor(url: string) {
    this.#done = this.#callAll(url)
  }

  /** Resolves after this many further answers, or after a failure. */
  async hasAnswers(count: number): Promise<void> {
    this.#wanted = this.answered + count
    await until(() => this.answered >= this.#wanted || this.failures.length > 0)
  }

  /** Ends the calls. */
  async leave(): Promise<void> {
    this.#isLeaving = true
    await this.#done
  }

  async #callAll(url: string): Promise<void> {
    for (let id = 1; !this.#isLeaving; id++) {
      const call =
        id % 2 === 0
          ? { method: 'eth_chainId', params: [] }
          : { method: 'eth_getBalance', params: [`0x${id.toString(16).padStart(40, '0')}`, 'latest'] }
      const outcome = await post(url, { jsonrpc: '2.0', id, ...call }).then(
        ({ status, text }) =>
          text.includes('"result":"0x1') ? undefined : `${status} ${text.slice(0, 200)}`,
        (error: unknown) => String(error),
      )
      if (outcome === undefined) this.answered++
      else this.failures.push(outcome)
      if (this.failures.length > 0) return
      // Without a pause, a long test would spend the user's daily limit, and most of the processor.
      await delay(this.answered < this.#wanted ? shortPause : longPause)
    }
  }
}
