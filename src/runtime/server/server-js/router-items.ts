import {
  createReadRequest,
  type EnvelopeRules,
  type JsonValue,
  RpcError,
  type RpcRequest,
} from '@concordat/rpc'
import type { ItemHandler } from '../protocol/answer-message.js'
import { type ItemAnswer, resultAnswer } from '../protocol/encode-answer.js'
import type { Failures } from '../protocol/failures.js'
import { createItemHandler } from '../protocol/item-handler.js'
import { type Reporter, reportedErrorAnswer } from '../protocol/reporter.js'
import { itemHandlerOf } from './contract-router.js'
import type { Router } from './load-server-js.js'

/** Options for reading requests and choosing their router. */
export interface RouterItemsOptions {
  /** Returns the current routers, in order. */
  readonly routers: () => readonly Router[]
  readonly envelope: EnvelopeRules
  readonly failures: Failures
  readonly reporter: Reporter<undefined>
}

/** The error with which the package's own router replaces any error of a handler. */
const LOST_ERROR = { code: 6969, message: 'unknown error' }

/**
 * Creates the handler of single requests for a transport of `@open-rpc/server-js`. It checks the envelope and
 * passes the request to the first router that has the method. A contract router answers the request itself.
 * For other routers, only the protocol is enforced; parameters and results are not validated.
 */
export function createRouterItems(options: RouterItemsOptions): ItemHandler<undefined, ItemAnswer> {
  const { routers, envelope, failures, reporter } = options
  const readRequest = createReadRequest(envelope)
  const noRouter = createItemHandler<undefined>(
    { methods: {}, call: () => null, envelope },
    failures,
    reporter,
  )

  async function callRouter(router: Router, { idText, method, params }: RpcRequest): Promise<ItemAnswer> {
    try {
      const { result, error } = await router.call(method, params ?? [])
      if (error) return reportedErrorAnswer(idText, errorOf(error, method), reporter)
      return resultAnswer(idText, JSON.stringify(result ?? null))
    } catch (cause) {
      return reportedErrorAnswer(idText, reporter.thrown(cause, method, undefined), reporter)
    }
  }

  function errorOf({ code, message, data }: RouterError, method: string): RpcError {
    const isLost = code === LOST_ERROR.code && message === LOST_ERROR.message && data === undefined
    if (isLost)
      return reporter.thrown('A handler threw an error that the router does not expose', method, undefined)
    if (!Number.isInteger(code))
      return reporter.thrown(`The error code ${code} is not an integer`, method, undefined)
    return new RpcError({ code, message: String(message), data })
  }

  return {
    answer(item, rawId, context) {
      const request = readRequest(item, rawId)
      if ('problem' in request) return noRouter.answer(item, rawId, context)
      const router = routers().find((each) => each.isMethodImplemented(request.method))
      if (router === undefined) return noRouter.answer(item, rawId, context)
      return itemHandlerOf(router)?.answer(item, rawId, context) ?? callRouter(router, request)
    },
    refuse: noRouter.refuse,
    fail: noRouter.fail,
  }
}

/** An error in a router's answer. */
interface RouterError {
  readonly code: number
  readonly message: string
  readonly data?: JsonValue | undefined
}
