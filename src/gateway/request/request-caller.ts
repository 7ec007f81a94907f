import type { RpcError } from '../../rpc/index.js'
import type { EdgeResponse } from '../../server/index.js'
import type { AcceptedKey } from '../keys/accepted-key.js'
import type { PerKeyState } from '../keys/per-key-state.js'
import type { Network } from '../profiles/network.js'
import type { Place } from '../quota/request-queue.js'
import type { AccessRules } from '../store/access-rules.js'
import type { Caller, RequestTrace } from './caller.js'

/** The caller of one HTTP request. A class, so that optional parts cost nothing until they are used. */
export class RequestCaller implements Caller {
  readonly id: string
  readonly userId: string
  readonly network: Network
  readonly dailyLimit: number | null
  readonly monthlyLimit: number | null
  readonly access: AccessRules
  readonly origin: string | undefined
  readonly keyState: PerKeyState | undefined
  readonly response: EdgeResponse
  startedAt = 0
  bodyRead: ((bytes: number) => void) | undefined = undefined
  trace: RequestTrace | undefined = undefined
  place: Place | undefined = undefined
  refusal: RpcError | undefined = undefined
  inBatch = false
  heldBytes = 0
  answerBytes = 0
  resizeAnswer: ((bytes: number) => boolean) | undefined = undefined
  #leaving: AbortController | undefined = undefined

  /**
   * @param key the accepted key of the request
   * @param response the response being written
   * @param origin the `Origin` of the page, when the key has an origin list
   */
  constructor(key: AcceptedKey, response: EdgeResponse, origin: string | undefined) {
    this.id = key.id
    this.userId = key.userId
    this.network = key.network
    this.dailyLimit = key.dailyLimit
    this.monthlyLimit = key.monthlyLimit
    this.access = key.access
    this.keyState = key.keyState
    this.origin = origin
    this.response = response
  }

  get hasLeft(): boolean {
    const { response } = this
    return response.destroyed && !response.writableFinished
  }

  left(): AbortSignal {
    if (this.#leaving !== undefined) return this.#leaving.signal
    const leaving = new AbortController()
    this.#leaving = leaving
    if (this.response.destroyed) leaving.abort()
    this.response.once('close', () => {
      if (!this.response.writableFinished) leaving.abort()
    })
    return leaving.signal
  }
}
