import type { JsonObject, JsonValue, RpcError } from '@concordat/rpc'
import { type Answer, checkHeaders } from '../protocol/encode-answer.js'
import type { RequestFacts } from '../protocol/http-source.js'
import type { CallItem } from '../protocol/item-handler.js'
import type { Exchange } from './exchange.js'

/** A call of a request, with its response. */
export interface CallReport {
  /** Undefined for an unknown method, and for a message that is not a request. */
  readonly method: string | undefined
  /** The parameters, as the caller sent them; undefined without them, and for a message that is not a request. */
  readonly params: JsonValue | undefined
  /** The error that the caller receives; undefined for a result. */
  readonly error: RpcError | undefined
  /** Time from the arrival of the whole message to the response, in milliseconds; 0 if the message was not read. */
  readonly milliseconds: number
  /** The end of a streamed result, which can still fail. Never rejects. */
  readonly ended: Promise<Pick<CallReport, 'error' | 'milliseconds'>> | undefined
}

/** A request that was answered or refused: one for each HTTP request, and for each message on a connection. */
export interface RequestReport<Context> {
  /** The context of the calls; undefined for a request that was refused before it had one. */
  readonly context: Context | undefined
  /** Undefined on a connection that stays open. */
  readonly request: RequestFacts | undefined
  /** HTTP status of the answer; undefined if the caller disconnected before there was one. */
  readonly status: number | undefined
  /** The error of a request that was refused before it had a context. */
  readonly refusal: RpcError | undefined
  /** The calls in order. A message that is refused as a whole has one, without a method. */
  readonly calls: readonly CallReport[]
}

/**
 * Called once for each request, when its answer is ready. Errors that it throws are ignored.
 * @returns headers that are added to the answer; none of them if one is not allowed in HTTP
 */
export type OnRequest<Context> = (report: RequestReport<Context>) => Answer['headers'] | undefined

/** Reports requests, and returns their answers with the headers that were added. */
export interface RequestReporter<Context> {
  answered(answer: Answer, items: readonly CallItem[], exchange: Exchange<Context>): Answer
  refused(answer: Answer, refusal: RpcError, request: RequestFacts | undefined): Answer
  /** Reports a caller who disconnected before there was an answer. */
  left(exchange: Exchange<Context>): void
}

/** Creates the reporter of a service. */
export function createRequestReporter<Context>(onRequest: OnRequest<Context>): RequestReporter<Context> {
  function report(facts: RequestReport<Context>): Answer['headers'] | undefined {
    try {
      const headers = onRequest(facts)
      checkHeaders(headers)
      return headers
    } catch {
      // The caller gets an answer even when the hook fails.
      return undefined
    }
  }
  const withHeaders = (answer: Answer, own: Answer['headers'] | undefined): Answer =>
    own === undefined ? answer : { ...answer, headers: { ...answer.headers, ...own } }
  return {
    answered(answer, items, { context, request, receivedAt }) {
      const calls = items.map((item) => callReport(item, receivedAt))
      const { status } = answer
      return withHeaders(answer, report({ context, request, status, refusal: undefined, calls }))
    },
    refused(answer, refusal, request) {
      const { status } = answer
      return withHeaders(answer, report({ context: undefined, request, status, refusal, calls: [] }))
    },
    left({ context, request }) {
      report({ context, request, status: undefined, refusal: undefined, calls: [] })
    },
  }
}

function callReport({ method, message, error, readyAt, ended }: CallItem, receivedAt: number): CallReport {
  const since = (at: number) => (receivedAt === 0 ? 0 : at - receivedAt)
  return {
    method,
    // Other types have no `params`.
    params: (message as JsonObject | null | undefined)?.['params'],
    error,
    milliseconds: since(readyAt),
    ended: ended?.then((end) => ({ error: end.error, milliseconds: since(end.readyAt) })),
  }
}
