import { type Fault, transportFault } from '../fault.js'
import { type HttpAnswer, postRequest, type Sender } from '../http/post-request.js'
import { type Reader, readAnswer } from '../http/read-answer.js'
import type { Slot } from './limiter.js'
import { failWith, longestTimer, type PendingCall } from './pending-call.js'
import { retryDelay } from './retry-delay.js'

/** How calls are delivered. */
export interface Delivery extends Reader, Sender {
  /** Requests a place among the concurrent HTTP requests. */
  readonly enter: () => Slot
  /** Notes the headers of each HTTP answer. */
  readonly onAnswer: (http: HttpAnswer, sentAt: number) => void
}

/** Calls that share HTTP requests. */
interface Group {
  /** Cancels the HTTP request. */
  readonly controller: AbortController
  /** Resolves when no call waits any more. */
  readonly abandoned: Promise<undefined>
  isSending: boolean
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
  calls: readonly PendingCall[],
  isList: boolean,
): Promise<void> {
  const group = openGroup(calls)
  try {
    for (let left = calls; left.length > 0; ) left = await attempt(delivery, group, left, isList)
  } catch (error) {
    for (const call of calls) call.reject(error)
  }
}

function openGroup(calls: readonly PendingCall[]): Group {
  let open = calls.length
  let abandon = () => {}
  const abandoned = new Promise<undefined>((resolve) => {
    abandon = () => resolve(undefined)
  })
  const group = { controller: new AbortController(), abandoned, isSending: false }
  const onSettled = () => {
    open -= 1
    if (open > 0) return
    abandon()
    if (group.isSending) group.controller.abort()
  }
  for (const call of calls) call.onSettled = onSettled
  return group
}

/** Sends the calls that still wait, once. Returns those to send again, after the wait before that. */
async function attempt(
  delivery: Delivery,
  group: Group,
  calls: readonly PendingCall[],
  isList: boolean,
): Promise<readonly PendingCall[]> {
  const slot = delivery.enter()
  let stopTimers = () => {}
  let sent: readonly PendingCall[] = []
  let http: HttpAnswer | Fault | undefined
  let sentAt = 0
  let isBatch = isList
  try {
    if (slot.granted) await Promise.race([slot.granted, group.abandoned])
    sent = calls.filter(({ isSettled }) => !isSettled)
    if (sent.length === 0) return []
    stopTimers = startTimers(delivery, sent)
    sentAt = performance.now()
    group.isSending = true
    isBatch = isList || sent.length > 1
    const texts = sent.map(({ text }) => text)
    const body = isBatch ? `[${texts.join()}]` : texts.join()
    http = await Promise.race([postRequest(delivery, body, group.controller.signal), group.abandoned])
  } finally {
    group.isSending = false
    stopTimers()
    slot.release()
  }
  if (!http) return []
  if (typeof http === 'object') delivery.onAnswer(http, sentAt)
  const ids = sent.map(({ id }) => id)
  const answers = typeof http === 'object' ? readAnswer(delivery, http, ids, isBatch) : http
  const again: PendingCall[] = []
  let delay = 0
  for (const [at, call] of sent.entries()) {
    const answer = typeof answers === 'function' ? answers : answers[at]
    if (call.isSettled || !answer) continue
    call.attempts += 1
    if (typeof answer === 'function') {
      const error = answer(call.method)
      const wait = retryDelay(call, error, delivery.contract)
      if (wait === undefined) call.reject(error, answer === answers ? answer : undefined)
      else again.push(call)
      delay = Math.max(delay, wait ?? 0)
    } else call.resolve(answer.value)
  }
  if (again.length > 0) await pause(delay, group.abandoned)
  return again
}

/** Starts one timer for each timeout of the calls. Returns a function that stops them. */
function startTimers({ endpoint }: Delivery, calls: readonly PendingCall[]): () => void {
  const timers = new Map<number, ReturnType<typeof setTimeout>>()
  for (const { timeoutMilliseconds: time } of calls) {
    if (timers.has(time) || time > longestTimer) continue
    const late = () => {
      const message = `no complete answer from ${endpoint.origin} within ${time} ms. Try again, or increase timeoutMilliseconds.`
      const fault = transportFault({ kind: 'timeout', message })
      for (const call of calls) if (call.timeoutMilliseconds === time) failWith(call, fault)
    }
    timers.set(time, setTimeout(late, time))
  }
  return () => {
    for (const timer of timers.values()) clearTimeout(timer)
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
