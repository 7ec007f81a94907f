import { type CallOptions, type ClientOptions, sendRequest, type WireParams } from '@concordat/client'
import { type Client, createClient, type MethodName } from '@concordat/node-access-contract/client'
import type { Params, ResultOf } from '@concordat/node-access-contract/types'
import { asProviderError } from './provider-error.js'

/** An EIP-1193 provider for viem's `custom`, ethers' `BrowserProvider` and other libraries. */
export interface Provider {
  /**
   * Sends a request of any method. The result of the contract's methods is typed by their parameters.
   * @param options `signal` cancels the request, which then rejects with the signal's reason
   * @throws CallError with `code`, `message` and `data` of the error response
   * @throws ProviderError with a code of EIP-1193 or EIP-1474, when no valid answer is received or the
   *   request cannot be sent
   */
  readonly request: {
    <Method extends MethodName, const Sent extends Params[Method]>(
      request: { readonly method: Method; readonly params?: Sent | undefined },
      options?: CallOptions,
    ): Promise<ResultOf<Method, Sent>>
    (request: ProviderRequest, options?: CallOptions): Promise<unknown>
  }
  /**
   * Accepts a listener and never calls it: the network of a key is fixed, and the service sends no events.
   */
  readonly on: (event: string, listener: ProviderListener) => Provider
  /** Accepts a listener and does nothing. */
  readonly removeListener: (event: string, listener: ProviderListener) => Provider
}

/** A request to a provider (EIP-1193, request). */
export interface ProviderRequest {
  readonly method: string
  readonly params?: readonly unknown[] | object | undefined
}

/** A listener for provider events (EIP-1193, events). */
export type ProviderListener = (...details: never[]) => void

/**
 * Creates an EIP-1193 provider for the network of the URL's key. It has no accounts and does not sign. Sign
 * with a viem account or an ethers wallet, and send through the provider.
 * @param target a complete URL with its key, or a client of `createClient`
 * @param options options of the client, if a URL is given
 * @throws TypeError when the URL or a header is invalid
 * @throws RangeError when the timeout is invalid
 */
export function createProvider(target: string | URL, options?: ClientOptions): Provider
export function createProvider(target: Client): Provider
export function createProvider(target: string | URL | Client, options?: ClientOptions): Provider {
  const isUrl = typeof target === 'string' || target instanceof URL
  const client = isUrl ? createClient(target, options) : target
  const provider: Provider = {
    request: async ({ method, params = [] }: ProviderRequest, options?: CallOptions) => {
      try {
        // The overloads state the result by method and parameters.
        return (await sendRequest(client, method, params as WireParams, options)) as never
      } catch (error) {
        throw options?.signal?.aborted ? error : asProviderError(error)
      }
    },
    on: () => provider,
    removeListener: () => provider,
  }
  return provider
}
