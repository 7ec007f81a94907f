import {
  createReadRequest,
  type EnvelopeRules,
  type JsonValue,
  RpcError,
  type RpcRequest,
} from '../../rpc/index.js'
import type { ItemHandler } from '../answer-message.js'
import { type ItemAnswer, resultAnswer } from '../encode-answer.js'
import type { Failures } from '../failures.js'
import { createItemHandler } from '../item-handler.js'
import { type Reporter, reportedErrorAnswer } from '../reporter.js'
import { itemHandlerOf } from './contract-router.js'
import type { Router } from './load-server-js.js'

/** How requests are read before a router is looked for. */
export interface RouterItemsOptions {
  /** The routers to choose from at the time of a request, in their order. */
  readonly routers: () => readonly Router[]
  readonly envelope: EnvelopeRules
  readonly failures: Failures
  readonly reporter: Reporter<undefined>
}

/** What the package's own router answers in place of whatever a handler threw. */
const LOST_ERROR = { code: 6969, message: 'unknown error' }

/**
 * Makes the handler of single requests for a transport of `@open-rpc/server-js`: envelope, the first router that has
 * the method, its answer. A router of a contract answers the request itself; with any other kind the protocol is
 * kept, and parameters and results are that router's own business.
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
    if (isLost) return reporter.thrown('A handler threw; its router does not tell what', method, undefined)
    if (!Number.isInteger(code))
      return reporter.thrown(`The error code ${code} is no integer`, method, undefined)
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

/** An error as a router answers it. */
interface RouterError {
  readonly code: number
  readonly message: string
  readonly data?: JsonValue | undefined
}
