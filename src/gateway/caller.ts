import type { ServerResponse } from 'node:http'
import type { Network } from './config.js'

/** Whom a request is from: an accepted key. */
export interface Caller {
  /** The key's id, which logs may hold. */
  readonly id: string
  readonly userId: string
  readonly network: Network
  /** The answer that is being made. */
  readonly response: ServerResponse
  /** When the body had been read, in milliseconds by `performance.now()`; 0 before that. */
  startedAt: number
  /** Gives the request's place among those in flight back; undefined until it has one. */
  leave?: (() => void) | undefined
  /** Aborted when the caller leaves before the answer. */
  readonly left?: (() => AbortSignal) | undefined
  /** True when the request is a batch. */
  inBatch: boolean
  /** Size of the answers of eth_getLogs that the request holds so far, in bytes. */
  heldBytes: number
}
