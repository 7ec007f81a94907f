import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'undici'
import { cleanEnvironment } from '../../test/support/concordat-process.js'

const repository = fileURLToPath(new URL('../../', import.meta.url))

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
  /** What the process has written to its standard error. */
  readonly #errors: readonly string[]
  readonly #socket: WebSocket
  readonly #pending = new Map<
    number,
    { readonly method: string; resolve(value: unknown): void; reject(error: Error): void }
  >()
  readonly #listeners = new Map<string, ((params: Record<string, unknown>) => void)[]>()
  #lastId = 0

  private constructor(child: ChildProcess, socket: WebSocket, errors: readonly string[]) {
    this.child = child
    this.#errors = errors
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data))))
    socket.addEventListener('close', () => {
      for (const { method, reject } of this.#pending.values())
        reject(new Error(`the process ended before it answered ${method}`))
      this.#pending.clear()
    })
  }

  /**
   * Starts Node in the repository with the given arguments, without the settings of Concordat in the environment. It
   * waits before its first line until `Runtime.runIfWaitingForDebugger` is sent.
   */
  static async start(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<InspectedProcess> {
    const child = spawn(process.execPath, ['--inspect-brk=127.0.0.1:0', ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      cwd: repository,
      env: cleanEnvironment(env),
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
    return new InspectedProcess(child, socket, lines)
  }

  /**
   * Sends a command of the protocol and returns its result.
   * @throws Error with the inspector's message, or if the process exits before it answers
   */
  async command<Result = unknown>(method: string, params: Record<string, unknown> = {}): Promise<Result> {
    const id = ++this.#lastId
    const answer = new Promise<unknown>((resolve, reject) =>
      this.#pending.set(id, { method, resolve, reject }),
    )
    this.#socket.send(JSON.stringify({ id, method, params }))
    return (await answer) as Result
  }

  /** Calls a listener for each event of that name. */
  on(event: string, listener: (params: Record<string, unknown>) => void): void {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener])
  }

  /**
   * Evaluates an expression in the global scope of the process and returns its value.
   * @param awaitPromise true to return the value of a promise; the process must not be paused
   */
  async evaluate<Value>(expression: string, awaitPromise = false): Promise<Value> {
    const { result, exceptionDetails } = await this.command<{
      readonly result: { readonly value: Value }
      readonly exceptionDetails?: { readonly exception?: { readonly description?: string } }
    }>('Runtime.evaluate', {
      expression,
      returnByValue: true,
      awaitPromise,
      includeCommandLineAPI: true,
    })
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? expression)
    return result.value
  }

  /** Resolves when the process has done its work. It then waits until the inspector disconnects. */
  async whenDone(): Promise<void> {
    const done = new Promise<void>((resolve) => this.on('NodeRuntime.waitingForDisconnect', () => resolve()))
    await this.command('NodeRuntime.notifyWhenWaitingForDisconnect', { enabled: true })
    await done
  }

  /** The last lines that the process has written to its standard error. */
  lastErrors(): string {
    return this.#errors.slice(-10).join('\n')
  }

  /** Lets a process that has done its work and waits for the inspector exit, and returns its exit code. */
  async exit(): Promise<number | null> {
    const exited = once(this.child, 'exit')
    this.#socket.close()
    const [code] = await exited
    return code
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
