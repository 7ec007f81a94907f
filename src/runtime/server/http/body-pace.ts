/** A body that is received; compatible with Node's messages. */
export interface PacedBody {
  pause(): unknown
  resume(): unknown
}

/** Bodies up to this size, in bytes, usually arrive in one chunk. They are not paced. */
export const unpacedBytes = 65_536

const millisecondsPerSecond = 1_000
const turnMilliseconds = 10
/** Node reads at most this much of a connection at once, in bytes. */
const chunkBytes = 65_536

/** The pace of bodies that handlers read. */
const readBytesPerSecond = 16_777_216

/** The pace of refused bodies, whose senders already have their answers. */
export const dropBytesPerSecond = 8_388_608

/**
 * Limits the bytes of all bodies that a process receives. Receiving 5 MB takes 3 ms of processor time, and the chunks
 * make V8 collect garbage, so connections that send at full speed would take all time from the others. Beyond the
 * limit, bodies are paused and take turns.
 */
export class BodyPace {
  readonly #bytesPerTurn: number
  readonly #schedule: (turn: () => void, milliseconds: number) => unknown
  /** Bytes that may be received before the next turn. Negative after a larger chunk. */
  #left: number
  /** Paused bodies, in the order of their turns. */
  readonly #paused = new Set<PacedBody>()
  #isScheduled = false

  /** @param schedule calls a function once, after a time in milliseconds */
  constructor(
    bytesPerSecond: number,
    schedule: (turn: () => void, milliseconds: number) => unknown = setTimeout,
  ) {
    this.#bytesPerTurn = (bytesPerSecond * turnMilliseconds) / millisecondsPerSecond
    this.#schedule = schedule
    this.#left = this.#bytesPerTurn
  }

  /** Resumes a paused body, now or at its turn. */
  begin(body: PacedBody): void {
    if (this.#left > 0) {
      body.resume()
      return
    }
    this.#paused.add(body)
    this.#continue()
  }

  /** Counts received bytes of a body, and pauses it when the limit is reached. */
  took(body: PacedBody, bytes: number): void {
    this.#left -= bytes
    if (this.#left <= 0) {
      body.pause()
      this.#paused.add(body)
    }
    this.#continue()
  }

  /** Removes a body, which is then never resumed. */
  leave(body: PacedBody): void {
    this.#paused.delete(body)
  }

  /** Schedules the next turn, unless one is scheduled. */
  #continue(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#schedule(() => this.#turn(), turnMilliseconds)
  }

  #turn(): void {
    this.#isScheduled = false
    this.#left = Math.min(this.#left + this.#bytesPerTurn, this.#bytesPerTurn)
    let room = this.#left
    for (const body of this.#paused) {
      if (room <= 0) break
      room -= chunkBytes
      this.#paused.delete(body)
      body.resume()
    }
    if (this.#left < this.#bytesPerTurn || this.#paused.size > 0) this.#continue()
  }
}

/** The pace of bodies that are read. */
export const readPace = new BodyPace(readBytesPerSecond)

/** The pace of bodies that are dropped. */
export const dropPace = new BodyPace(dropBytesPerSecond)
