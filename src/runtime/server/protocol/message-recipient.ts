import type { Recipient } from './http-source.js'

/** The receiver of one answer on a transport other than Node's HTTP: the answer ends, or the caller disconnects first. */
export class MessageRecipient implements Recipient {
  #listeners: Set<() => void> | undefined = undefined
  #isClosed = false
  #isFinished = false

  get destroyed(): boolean {
    return this.#isClosed
  }

  get writableFinished(): boolean {
    return this.#isFinished
  }

  once(_event: 'close', listener: () => void): void {
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
  }

  off(_event: 'close', listener: () => void): void {
    this.#listeners?.delete(listener)
  }

  /** The whole answer was sent. */
  finish(): void {
    this.#isFinished = !this.#isClosed
    this.close()
  }

  /** Nothing more is sent. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const listener of this.#listeners ?? []) listener()
    this.#listeners = undefined
  }
}
