import { type Fault, timeoutFault } from '../fault.js'
import { type HttpAnswer, postRequest, type Sender } from '../http/post-request.js'
import { type Answered, type Reader, readAnswer } from '../http/read-answer.js'
import { readList } from '../http/read-list.js'
import type { AttemptedCall } from './attempted-call.js'
import type { Slot } from './limiter.js'
import { failWith, longestTimer } from './pending-call.js'
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
  calls: readonly AttemptedCall[],
  isList = false,
): Promise<void> {
  const group = openGroup(calls)
  try {
    for (let left = calls; left.length > 0; ) left = await attempt(delivery, group, left, isList)
  } catch (error) {
    for (const call of calls) call.reject(error)
  }
}

function openGroup(calls: readonly AttemptedCall[]): Group {
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
  calls: readonly AttemptedCall[],
  isList: boolean,
): Promise<readonly AttemptedCall[]> {
  const { abandoned } = group
  const slot = delivery.enter()
  let sent = calls
  let stopTimers = () => {}
  let isBatch = isList
  let sentAt = 0
  let http: HttpAnswer | Fault | undefined
  try {
    if (slot.granted) await Promise.race([slot.granted, abandoned])
    sent = calls.filter(({ isSettled }) => !isSettled)
    if (sent.length === 0) return []
    stopTimers = startTimers(delivery, sent)
    sentAt = performance.now()
    isBatch ||= sent.length > 1
    const texts = sent.map(({ text }) => text).join()
    group.isSending = true
    const answer = postRequest(delivery, isBatch ? `[${texts}]` : texts, group.controller.signal)
    http = await Promise.race([answer, abandoned])
  } finally {
    group.isSending = false
    stopTimers()
    slot.release()
  }
  if (!http) return []
  if (typeof http === 'object') delivery.onAnswer(http, sentAt)
  const answers = typeof http === 'object' ? read(delivery, http, sent, isBatch) : http
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

function read(
  delivery: Delivery,
  http: HttpAnswer,
  sent: readonly AttemptedCall[],
  isBatch: boolean,
): readonly Answered[] | Fault {
  const ids = sent.map(({ id }) => id)
  return isBatch ? readList(delivery, http, ids) : [readAnswer(delivery, http, ids[0])]
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
