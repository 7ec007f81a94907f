import type { Headers } from '../client-options.js'
import { type Fault, timeoutFault } from '../fault.js'
import type { Endpoint } from '../http/endpoint.js'
import { type HttpAnswer, postRequest, type Sender } from '../http/post-request.js'
import { type Answered, type Reader, readAnswer } from '../http/read-answer.js'
import { readList } from '../http/read-list.js'
import type { AttemptedCall } from './attempted-call.js'
import type { Slot } from './limiter.js'
import { failWith, longestTimer } from './pending-call.js'
import { retryDelay } from './retries.js'

/** How calls are delivered. */
export interface Delivery extends Reader, Sender {
  /**
   * Returns the destination of one HTTP request.
   * @param own headers of its calls
   * @throws TypeError when a header is invalid
   * @throws the error of the function that gives the client's headers
   */
  readonly endpointOf: (own: Headers | undefined) => Promise<Endpoint>
  /** Requests a place among the concurrent HTTP requests. */
  readonly enter: () => Slot
  /** Notes the headers of each HTTP answer. */
  readonly onAnswer: (http: HttpAnswer, sentAt: number) => void
}

/**
 * Sends calls in one HTTP request, and those that failed and may be repeated in another one, until all are
 * settled. A timeout or a signal settles its calls alone. The last call that it settles aborts the request.
 * @param delivery the client
 * @param calls the calls
 * @param isList true to send a single call as a list too
 */
export async function deliver(
  delivery: Delivery,
  calls: readonly AttemptedCall[],
  isList = false,
): Promise<void> {
  const abandoned = allSettled(calls)
  try {
    for (let left = calls; left.length > 0; ) left = await attempt(delivery, left, abandoned, isList)
  } catch (error) {
    for (const call of calls) call.reject(error)
  }
}

/** Resolves once every call is settled. */
function allSettled(calls: readonly AttemptedCall[]): Promise<undefined> {
  let open = calls.length
  return new Promise((resolve) => {
    const onSettled = () => {
      open -= 1
      if (open === 0) resolve(undefined)
    }
    for (const call of calls) call.onSettled = onSettled
  })
}

/** Sends the unsettled calls once. Returns those to retry, after the retry delay. */
async function attempt(
  delivery: Delivery,
  calls: readonly AttemptedCall[],
  abandoned: Promise<undefined>,
  isList: boolean,
): Promise<readonly AttemptedCall[]> {
  const { answers, sent } = (await exchange(delivery, calls, abandoned, isList)) ?? { answers: [], sent: [] }
  const again: AttemptedCall[] = []
  let delay = 0
  for (const [at, call] of sent.entries()) {
    const answer = typeof answers === 'function' ? answers : answers[at]
    if (call.isSettled || !answer) continue
    call.attempts += 1
    if (typeof answer === 'object') {
      call.resolve(answer.value)
      continue
    }
    const error = answer(call.method)
    const wait = retryDelay(call, error, delivery.contract)
    if (wait !== undefined) {
      again.push(call)
      delay = Math.max(delay, wait)
      continue
    }
    if (answer === answers) call.requestFault = answer
    call.reject(error)
  }
  if (again.length > 0) await pause(delay, abandoned)
  return again
}

/** The calls of an HTTP request, and the answer to each of them, or the fault of the whole request. */
interface Exchange {
  readonly sent: readonly AttemptedCall[]
  readonly answers: readonly Answered[] | Fault
}

/** Sends the calls that still wait in one HTTP request. Returns undefined when none of them waits any more. */
async function exchange(
  delivery: Delivery,
  calls: readonly AttemptedCall[],
  abandoned: Promise<undefined>,
  isList: boolean,
): Promise<Exchange | undefined> {
  const slot = delivery.enter()
  const controller = new AbortController()
  let stopTimers = () => {}
  try {
    if (slot.granted) await Promise.race([slot.granted, abandoned])
    const sent = calls.filter(({ isSettled }) => !isSettled)
    if (sent.length === 0) return undefined
    stopTimers = startTimers(delivery, sent)
    const endpoint = await Promise.race([abandoned, delivery.endpointOf(sent[0]?.headers)])
    if (!endpoint) return undefined
    const target = { ...delivery, endpoint }
    const sentAt = performance.now()
    const isBatch = isList || sent.length > 1
    const texts = sent.map(({ text }) => text).join()
    const answer = postRequest(target, isBatch ? `[${texts}]` : texts, controller.signal)
    const http = await Promise.race([answer, abandoned])
    if (!http) {
      controller.abort()
      return undefined
    }
    if (typeof http === 'function') return { sent, answers: http }
    delivery.onAnswer(http, sentAt)
    const ids = sent.map(({ id }) => id)
    return { sent, answers: isBatch ? readList(target, http, ids) : [readAnswer(target, http, ids[0])] }
  } finally {
    stopTimers()
    slot.release()
  }
}

/** Starts one timer for each timeout of the calls. Returns a function that stops them. */
function startTimers({ endpoint }: Delivery, calls: readonly AttemptedCall[]): () => void {
  const times = new Set(calls.map(({ timeoutMilliseconds }) => timeoutMilliseconds))
  const timers = [...times].map((time) => {
    if (time > longestTimer) return undefined
    return setTimeout(() => {
      const fault = timeoutFault(endpoint.origin, time)
      for (const call of calls) if (call.timeoutMilliseconds === time) failWith(call, fault)
    }, time)
  })
  return () => {
    for (const timer of timers) clearTimeout(timer)
  }
}

async function pause(milliseconds: number, abandoned: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([over, abandoned])
  clearTimeout(timer)
}
