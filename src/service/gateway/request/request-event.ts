import { randomBytes } from 'node:crypto'
import { extensions } from '@concordat/node-access-contract/contract'
import type { CallReport, RequestFacts, RequestReport } from '@concordat/server'
import { KeyRefusal } from '../keys/index.js'
import type { RequestContext } from './request-context.js'

/** The outcome of a call of an accepted request. */
export interface Outcome extends Pick<CallReport, 'method' | 'params' | 'error' | 'milliseconds'> {
  /** Number of calls that were sent to nodes for it, including repeated attempts. */
  readonly nodeCalls: number
}

/** A request that was answered or refused: the one source of metrics, usage, traces, log and the log of failures. */
export class RequestEvent {
  readonly report: RequestReport<RequestContext>
  #id: string | undefined = undefined

  constructor(report: RequestReport<RequestContext>) {
    this.report = report
  }

  /** The reason of a refusal of a request whose key is known. */
  get keyRefusal(): KeyRefusal | undefined {
    const cause = this.report.refusal?.cause
    return cause instanceof KeyRefusal ? cause : undefined
  }

  /** The id that came with the request, else a new id. It is sent in the answer once it was read. */
  get id(): string {
    this.#id ??= requestIdOf(this.report.request?.headers ?? {})
    return this.#id
  }

  /** The header with the id; undefined for a request whose id nobody has read. */
  get headers(): Readonly<Record<string, string>> | undefined {
    return this.#id === undefined ? undefined : { [header]: this.#id }
  }

  /** True if a call failed, or can still fail after its stream has begun. */
  get mayFail(): boolean {
    for (const { error, ended } of this.report.calls) {
      if (error !== undefined || ended !== undefined) return true
    }
    return false
  }

  /** Calls a function with the outcome of each call of an accepted request: now, or at the end of its stream. */
  eachOutcome(note: (outcome: Outcome, context: RequestContext) => void): void {
    const { context, calls } = this.report
    if (context === undefined) return
    // Hot path: a call without a stream allocates one object and no closure.
    for (let index = 0; index < calls.length; index++) {
      const call = calls[index] as CallReport
      if (call.ended === undefined) note(outcomeOf(call, context, index), context)
      else call.ended.then((end) => note(outcomeOf({ ...call, ...end }, context, index), context))
    }
  }
}

function outcomeOf(call: CallReport, context: RequestContext, index: number): Outcome {
  const { method, params, error, milliseconds } = call
  return { method, params, error, milliseconds, nodeCalls: context.nodeCallsOf(index) }
}

/** The header with the id of a request, and the pattern of the ids that callers and proxies may set. */
const { header, pattern } = extensions['x-http'].requestId
const acceptedId = new RegExp(pattern)
const lowerCaseHeader = header.toLowerCase()

/** Ids of different processes differ. */
const processId = randomBytes(5).toString('hex')
let lastId = 0

function newId(): string {
  lastId += 1
  return `${processId}-${lastId.toString(36)}`
}

function requestIdOf(headers: RequestFacts['headers']): string {
  const given = headers[lowerCaseHeader]
  return typeof given === 'string' && acceptedId.test(given) ? given : newId()
}
