import {
  type CallOptions,
  type ClientOptions,
  type Codec,
  clientDefaults,
  type MiddlewareCall,
  sendRequest,
} from '@concordat/client'
import { type Client, contract, createClient, isRpcError } from '@concordat/node-access-contract/client'
import { sleep } from '../chain/sleep.js'
import { ChainHeads, HeadBehind } from './chain-heads.js'
import { verdictOn } from './endpoint-verdict.js'

/** Options of {@link createFailoverClient}. */
export interface FailoverOptions extends ClientOptions {
  /** Milliseconds for which an endpoint that failed is asked last. Defaults to {@link failoverDefaults}. */
  readonly restMilliseconds?: number | undefined
  /** Receives every error after which another endpoint is asked, and the origin of the endpoint that failed. */
  readonly onFailover?: ((error: unknown, origin: string) => void) | undefined
}

/** Defaults of {@link FailoverOptions}. */
export const failoverDefaults = { restMilliseconds: 10_000 } as const

/** Pause before endpoints that are behind are asked again, in milliseconds. */
const catchUpMilliseconds = 1_000

interface Endpoint {
  readonly client: Client
  readonly origin: string
  /** Time until which the endpoint is asked last, in milliseconds of `performance.now`. */
  restsUntil: number
  /** Chain id of the endpoint, once known. Empty if the key may not call `eth_chainId`. */
  chainId?: string
}

/**
 * Creates a client of several endpoints of one network. Calls go to the first endpoint that works, in the given order;
 * after an error, the kind of the error decides whether another one is asked.
 *
 * - Reads move to the next endpoint after network errors, timeouts, 5xx and invalid answers. Every call does so after a
 *   refused key or a spent limit. Writes do not once they may have been executed, unless `retry.writes` is set.
 * - `budgetMilliseconds` bounds the whole call, over all endpoints. `timeoutMilliseconds` bounds each attempt. The last
 *   endpoint is asked as often as `retry` allows, and the others once.
 * - The head of the chain never goes back from one endpoint to another. An endpoint that is behind is skipped; if all
 *   are behind, the call waits until one has caught up, for up to a minute and within its budget.
 * - Each endpoint is asked for its chain id before its first call.
 * @param urls complete URLs with their keys, the preferred endpoint first
 * @param options options of `createClient`, `restMilliseconds` and `onFailover`
 * @throws TypeError when there is no URL, or a URL or a header is invalid
 * @throws RangeError when a number is not greater than 0
 */
export function createFailoverClient<Decoded extends object>(
  urls: readonly (string | URL)[],
  options: FailoverOptions & { readonly decode: Codec<Decoded> },
): Decoded
export function createFailoverClient(urls: readonly (string | URL)[], options?: FailoverOptions): Client
export function createFailoverClient(
  urls: readonly (string | URL)[],
  { middleware = [], decode, restMilliseconds, onFailover, ...shared }: FailoverOptions = {},
): object {
  const endpoints = urls.map(
    (url): Endpoint => ({
      client: createClient(url, shared),
      origin: new URL(url).origin,
      restsUntil: 0,
    }),
  )
  const [first] = urls
  if (first === undefined) throw new TypeError('createFailoverClient: no URL is given')
  const heads = new ChainHeads()
  const rest = restMilliseconds ?? failoverDefaults.restMilliseconds
  let latest = endpoints[0]

  /** Asks one endpoint. Its chain is read before its first call, so that a failure there has executed nothing. */
  const ask = async (endpoint: Endpoint, { method, params }: MiddlewareCall, options: () => CallOptions) => {
    if (endpoint.chainId === undefined) {
      const chainId = await chainOf(endpoint, options())
      const other = endpoints.find((one) => one.chainId && chainId && one.chainId !== chainId)
      if (other) {
        throw new TypeError(
          `createFailoverClient: ${endpoint.origin} serves the chain ${chainId}, and ${other.origin} ${other.chainId}`,
        )
      }
      endpoint.chainId = chainId
    }
    const result = await sendRequest(endpoint.client, method, params, options())
    heads.check(endpoint, endpoint.origin, method, params, result)
    return result
  }

  /** Asks the endpoints in turn. Returns the error of one that is behind if none answered. */
  const round = async (call: MiddlewareCall, deadline: number) => {
    const now = performance.now()
    const order = [
      ...endpoints.filter(({ restsUntil }) => restsUntil <= now),
      ...endpoints.filter(({ restsUntil }) => restsUntil > now).sort((a, b) => a.restsUntil - b.restsUntil),
    ]
    const isRepeatable = isRead(call.method) || repeatsWrites(call.options.retry ?? shared.retry)
    let failure: unknown
    let behind: HeadBehind | undefined
    for (const [at, endpoint] of order.entries()) {
      // Timers may fire up to a millisecond early.
      if (at > 0 && deadline - performance.now() < 1) break
      try {
        const isLast = at === order.length - 1
        const result = await ask(endpoint, call, () => ownOptions(call.options, deadline, isLast))
        endpoint.restsUntil = 0
        latest = endpoint
        return { result }
      } catch (caught) {
        const isUnexecuted = caught instanceof Unexecuted
        const error = isUnexecuted ? caught.cause : caught
        if (call.options.signal?.aborted) throw error
        if (error instanceof HeadBehind) {
          behind = error
          continue
        }
        const verdict = verdictOn(error, isRepeatable || isUnexecuted, rest)
        endpoint.restsUntil = performance.now() + verdict.restMilliseconds
        if (!verdict.isNext) throw error
        failure = error
        // An error of the callback must not fail the call.
        if (at < order.length - 1 && onFailover) queueMicrotask(() => onFailover(error, endpoint.origin))
      }
    }
    if (behind) return { behind }
    throw failure
  }

  const send = async (call: MiddlewareCall): Promise<unknown> => {
    const { budgetMilliseconds = shared.budgetMilliseconds ?? clientDefaults.budgetMilliseconds } =
      call.options
    const deadline = performance.now() + budgetMilliseconds
    for (;;) {
      const outcome = await round(call, deadline)
      if (!outcome.behind) return outcome.result
      if (deadline - performance.now() <= catchUpMilliseconds) throw outcome.behind
      await sleep(catchUpMilliseconds, call.options.signal)
    }
  }

  // This client sends nothing itself: the innermost middleware passes each call to an endpoint.
  const client = createClient(first, {
    middleware: [...middleware, () => send],
    ...(decode && { decode: decode as Codec<Client> }),
  })
  const { batch } = client
  return Object.defineProperties(client, {
    batch: { value: (build: never, options?: CallOptions) => batch(build, { ...options, batch: true }) },
    quota: { get: () => latest?.client.quota },
  })
}

/** An error before anything was executed. */
class Unexecuted extends Error {}

async function chainOf({ client }: Endpoint, options: CallOptions): Promise<string> {
  try {
    return await client.eth_chainId(options)
  } catch (cause) {
    if (isRpcError(cause, 'methodNotFound')) return ''
    throw new Unexecuted('nothing was executed', { cause })
  }
}

const isRead = (method: string): boolean =>
  Object.hasOwn(contract.methods, method) && contract.methods[method]?.effect === 'read'

const repeatsWrites = (retry: CallOptions['retry']): boolean =>
  typeof retry === 'object' && retry.writes === true

/** Returns the options of one attempt, without members that would add the call to a batch of the outer client. */
function ownOptions(given: CallOptions, deadline: number, isLast: boolean): CallOptions {
  const { signal, timeoutMilliseconds, headers, batch, retry } = given
  return {
    ...{ signal, timeoutMilliseconds, headers, batch },
    budgetMilliseconds: Math.max(deadline - performance.now(), 1),
    retry: isLast ? retry : false,
  }
}
