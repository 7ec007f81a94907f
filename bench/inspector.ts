import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { WebSocket } from 'undici'

/** A message of the Chrome DevTools Protocol: an answer with the id of its command, or an event. */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** A Node process that is controlled through V8's inspector. */
export class InspectedProcess {
  readonly child: ChildProcess
  readonly #socket: WebSocket
  readonly #pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  readonly #listeners = new Map<string, ((params: Record<string, unknown>) => void)[]>()
  #lastId = 0

  private constructor(child: ChildProcess, socket: WebSocket) {
    this.child = child
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data))))
  }

  /** Starts Node with the given arguments; it waits before its first line until `run` is called. */
  static async start(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<InspectedProcess> {
    const child = spawn(process.execPath, ['--inspect-brk=127.0.0.1:0', ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...env },
    })
    const lines: string[] = []
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stderr }).on('line', (line) => {
        lines.push(line)
        const [found] = /ws:\/\/\S+/.exec(line) ?? []
        if (found !== undefined) resolve(found)
      })
      child.once('exit', () => reject(new Error(`the process ended: ${lines.join('\n')}`)))
    })
    const socket = new WebSocket(url)
    await once(socket, 'open')
    return new InspectedProcess(child, socket)
  }

  /** Sends a command of the protocol and returns its result. */
  async command<Result = unknown>(method: string, params: Record<string, unknown> = {}): Promise<Result> {
    const id = ++this.#lastId
    const answer = new Promise<unknown>((resolve, reject) => this.#pending.set(id, { resolve, reject }))
    this.#socket.send(JSON.stringify({ id, method, params }))
    return (await answer) as Result
  }

  /** Calls a listener for each event of that name. */
  on(event: string, listener: (params: Record<string, unknown>) => void): void {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener])
  }

  /** Evaluates an expression in the global scope of the process and returns its value. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const { result, exceptionDetails } = await this.command<{
      readonly result: { readonly value: Value }
      readonly exceptionDetails?: { readonly exception?: { readonly description?: string } }
    }>('Runtime.evaluate', { expression, returnByValue: true, includeCommandLineAPI: true })
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? expression)
    return result.value
  }

  /** Ends the process if it still runs. */
  async end(): Promise<void> {
    this.#socket.close()
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const exited = once(this.child, 'exit')
    this.child.kill('SIGTERM')
    await exited
  }

  #receive({ id, method, params = {}, result, error }: Message): void {
    if (id === undefined) {
      for (const listener of this.#listeners.get(method ?? '') ?? []) listener(params)
      return
    }
    const waiting = this.#pending.get(id)
    this.#pending.delete(id)
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(error.message))
  }
}
