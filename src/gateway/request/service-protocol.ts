import { extensions, limits } from '../../../generated/contract.js'
import { failure } from '../../../generated/errors.js'
import { methods } from '../../../generated/methods.js'
import type { JsonValue, RpcError } from '../../rpc/index.js'
import {
  type Admission,
  type Answer,
  createProtocolHandler,
  type ProtocolHandler,
} from '../../server/index.js'
import { requireCallAllowed } from '../keys/access/call-access.js'
import type { OpenNetwork } from '../networks/open-network.js'
import type { Served } from '../profiles/network.js'
import type { Charge } from '../quota/charge.js'
import type { RequestQueue } from '../quota/request-queue.js'
import type { Log } from '../telemetry/log.js'
import { createReportLog } from '../telemetry/log-report.js'
import type { RequestLog } from '../telemetry/request-log.js'
import { serverFailures } from '../telemetry/server-failures.js'
import type { Tracing } from '../telemetry/tracing.js'
import type { Caller } from './caller.js'
import { createMemoryRoom } from './memory-room.js'

/** What answers are made with. */
export interface ServiceProtocolOptions {
  /** The answers of each served network. */
  readonly networks: Served<Pick<OpenNetwork, 'answer'>>
  readonly charge: Charge
  readonly queue: RequestQueue
  /** The contract as it was written, for `rpc.discover`. */
  readonly document: Uint8Array
  readonly log: Log
  readonly requestLog: Pick<RequestLog, 'onResponse'>
  readonly tuning: {
    /** Large answers of all users that wait for their callers, in bytes. */
    readonly answerBytesAtOnce: number
    /** How many calls of one batch run concurrently. */
    readonly batchCallsAtOnce: number
  }
  /** Undefined where no traces are made. */
  readonly tracing?: Pick<Tracing, 'begin'> | undefined
}

/** Makes the protocol handler of the service: the contract's methods, limits and failures around the forwarders. */
export function createServiceProtocol(options: ServiceProtocolOptions): ProtocolHandler<Caller> {
  const { networks, charge, queue, document, log, requestLog, tuning, tracing } = options
  const admit = (items: number, caller: Caller) => {
    const { refusal } = caller
    if (refusal !== undefined) return refuse(charge(caller, 0), refusal)
    caller.inBatch = items > 1
    return charge(caller, items)
  }
  const answers = createMemoryRoom(tuning.answerBytesAtOnce)
  /** An answer that nobody takes is memory: what there is no room for is answered with an error in its place. */
  const refuseLength = (bytes: number, caller: Caller) => {
    const { userId, response, answerBytes, resizeAnswer } = caller
    if (bytes <= briefResponseBytes) return undefined
    const all = answerBytes + bytes
    if (all > smallAnswerBytes && !response.destroyed) {
      if (resizeAnswer === undefined) caller.resizeAnswer = answers.enter(userId, response, all)
      else if (!resizeAnswer(all)) return noRoom()
      if (caller.resizeAnswer === undefined) return noRoom()
    }
    caller.answerBytes = all
    return undefined
  }
  const protocol = createProtocolHandler<Caller>({
    methods,
    call({ name }, given, caller) {
      const params = given as readonly JsonValue[]
      requireCallAllowed(caller.access, name, params)
      const network = networks[caller.network]
      if (network === undefined) throw failure('wrongNetwork', { values: { network: caller.network } })
      return network.answer(name, params, caller)
    },
    admit(items, caller) {
      const admission = admit(items, caller)
      return caller.origin === undefined ? admission : forOrigin(caller.origin, admission)
    },
    document,
    envelope: extensions['x-envelope'],
    limits,
    batchCallsAtOnce: tuning.batchCallsAtOnce,
    failures: serverFailures,
    onError: createReportLog(log),
    refuseLength,
    onResponse: requestLog.onResponse,
  })
  const handle = (body: Body, caller: Caller): Answer | Promise<Answer> => {
    const answer = protocol.handle(body, caller)
    if (answer instanceof Promise) return answer.then((settled) => leaveBehind(settled, caller))
    return leaveBehind(answer, caller)
  }
  /** The body waits as it came: parsed, it would be a multiple of the size that the queue counts. */
  const handleLater = async (body: Body, caller: Caller): Promise<Answer> => {
    const { userId, response, keyState } = caller
    try {
      caller.place = await queue.wait(userId, sizeOf(body), response, keyState)
      if (caller.place === undefined) return leaveBehind(unsentAnswer, caller)
    } catch (error) {
      caller.refusal = error as RpcError
    }
    return handle(body, caller)
  }
  return {
    ...protocol,
    handle(body, caller) {
      caller.startedAt = performance.now()
      caller.bodyRead?.(sizeOf(body))
      if (tracing !== undefined) caller.trace = tracing.begin(caller)
      caller.place = queue.enter(caller.userId, caller.keyState)
      return caller.place === undefined ? handleLater(body, caller) : handle(body, caller)
    },
  }
}

type Body = Uint8Array | string

const sizeOf = (body: Body): number => (typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength)

/** What becomes of a request whose caller has left the queue; the status is for its trace. */
const unsentAnswer: Answer = { status: 499, headers: {}, body: null }

/** An answer up to this size, in bytes, fits into what the system holds of a connection. */
const smallAnswerBytes = 65_536

/** A response up to this size, in bytes, is given in any case: an error in its place would hardly be smaller. */
const briefResponseBytes = 1_024

const noRoom = () => failure('overloaded', { cause: 'large answers wait for their callers' })

/** Tells an answer that is whole from one that is sent while it is made. */
const isMade = (body: Answer['body']): body is string | Uint8Array =>
  typeof body === 'string' || body instanceof Uint8Array

const isLarge = (body: Answer['body']): body is string | Uint8Array =>
  isMade(body) && body.length > smallAnswerBytes

/** Gives the caller's place back: at once behind a small answer, behind a large one when it was taken or cut off. */
function leaveBehind(answer: Answer, { place, response, trace }: Caller): Answer {
  const { status, body } = answer
  if (trace !== undefined) {
    if (body === null || isMade(body)) trace.end(status)
    else response.once('close', () => trace.end(status))
  }
  if (place === undefined) return answer
  const isSmall = body === null || (isMade(body) && !isLarge(body))
  if (isSmall || response.destroyed) place.leave()
  else response.once('close', () => place.leave())
  return answer
}

/** Refuses a request: free of charge, with the headers that an accepted key is owed. */
function refuse(free: Admission | Promise<Admission>, error: RpcError): Admission | Promise<Admission> {
  if (free instanceof Promise) return free.then((settled) => refuse(settled, error))
  return { admitted: 0, error, headers: free.headers }
}

/** Lets the pages of one origin read the answer, and no others (Fetch standard, CORS protocol). */
function forOrigin(
  origin: string,
  admission: Admission | Promise<Admission>,
): Admission | Promise<Admission> {
  if (admission instanceof Promise) return admission.then((settled) => forOrigin(origin, settled))
  const headers = { ...admission.headers, 'access-control-allow-origin': origin, vary: 'Origin' }
  return { ...admission, headers }
}
