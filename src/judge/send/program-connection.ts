import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Framing, Session } from '../../toolkit/contract/index.js'
import { commandOf } from './connection-url.js'
import type { AttemptRequest } from './connections.js'
import { MessageConnection } from './message-connection.js'
import { framed, MessageReader, MessageTooLarge, NotMessages } from './message-reader.js'
import { sendDefaults } from './send-defaults.js'
import { AnswerRefused } from './transport-trouble.js'

/** A program that reads messages from its standard input and writes messages to its standard output. */
export class ProgramConnection extends MessageConnection {
  readonly #framing: Framing
  readonly #program: ChildProcessWithoutNullStreams
  readonly #reader: MessageReader
  /** What it wrote to its standard error since the last message to it, or since its start. */
  #errors = ''
  #hasRead = false
  #isRunning = true
  #isEnding = false

  /**
   * Starts the program in a shell.
   * @param maximumBytes maximum size of a message
   * @param onEnd called when the program has ended
   */
  constructor(
    { url }: AttemptRequest,
    session: Session,
    maximumBytes: number,
    onEnd: (connection: MessageConnection) => void,
  ) {
    super('The program', session)
    this.#framing = session.framing
    this.#reader = new MessageReader(session.framing, maximumBytes)
    // A process group of its own, so that the programs that the command starts end with it.
    this.#program = spawn(commandOf(url), { shell: true, detached: true, stdio: 'pipe' })
    const { stdin, stdout, stderr } = this.#program
    // A program that has ended reads nothing. The event `exit` reports it.
    stdin.on('error', () => undefined)
    stdout.on('data', (data: Buffer) => this.#read(data))
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = `${this.#errors}${text}`.slice(0, sendDefaults.errorCharacters)
    })
    let waiting: ReturnType<typeof setTimeout> | undefined
    const ended = (why: string) => {
      if (!this.#isRunning) return
      this.#isRunning = false
      clearTimeout(waiting)
      // A program that it has started may keep the streams open.
      stdout.destroy()
      stderr.destroy()
      this.fail(new AnswerRefused('other', `The program ended (${why}).${this.detail}`))
      onEnd(this)
    }
    this.#program.on('error', (error) => ended(error.message))
    this.#program.on('close', (code, signal) => ended(signal ?? `exit code ${code}`))
    this.#program.on('exit', (code, signal) => {
      // Messages that it wrote before may still be on their way.
      waiting = setTimeout(() => ended(signal ?? `exit code ${code}`), sendDefaults.lastOutputMilliseconds)
    })
  }

  override get isOpen(): boolean {
    return this.#isRunning && !this.#isEnding
  }

  override get endedIdle(): Error | undefined {
    return this.#isEnding ? undefined : this.failure
  }

  override get hasEndedWell(): boolean {
    return !this.#isEnding && this.#program.exitCode === 0
  }

  protected override get detail(): string {
    const { pending } = this.#reader
    const unread = pending === '""' ? '' : ` It wrote ${pending}, which is not a whole message.`
    const framing = this.#hasRead ? '' : ` It wrote no message. ${framingWords[this.#framing]}`
    const errors = this.#errors.trim().replaceAll('\t', '  ')
    return `${unread}${framing}${errors === '' ? '' : ` Its standard error: ${errors}`}`
  }

  override send(message: string | Uint8Array): void {
    if (this.#hasRead) this.#errors = ''
    this.#program.stdin.write(framed(Buffer.from(message), this.#framing))
  }

  /** Closes its input and ends it: at first with SIGTERM, and with SIGKILL if it does not end. */
  override end(): void {
    if (this.#isEnding || !this.#isRunning) return
    this.#isEnding = true
    this.#program.stdin.end()
    this.#signal('SIGTERM')
    const timer = setTimeout(() => this.#signal('SIGKILL'), sendDefaults.programEndMilliseconds)
    this.#program.once('exit', () => clearTimeout(timer))
  }

  /** Signals the program and those that it started. */
  #signal(name: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.#program
    if (pid === undefined) return
    try {
      process.kill(-pid, name)
    } catch {
      // It has just ended.
    }
  }

  #read(data: Buffer): void {
    try {
      for (const message of this.#reader.read(data)) {
        this.#hasRead = true
        this.take(message)
      }
    } catch (error) {
      const isKnown = error instanceof NotMessages || error instanceof MessageTooLarge
      if (!isKnown) throw error
      const text =
        error instanceof NotMessages
          ? `The program wrote to its standard output ${error.message}. ${framingWords[this.#framing]}`
          : error.message
      this.fail(new AnswerRefused(error instanceof NotMessages ? 'other' : 'too-large', text))
      this.end()
    }
  }
}

const framingWords: Readonly<Record<Framing, string>> = {
  newline: 'Messages are sent and read as lines (x-session: framing newline).',
  'content-length':
    'Messages are sent and read with Content-Length headers (x-session: framing content-length).',
}
