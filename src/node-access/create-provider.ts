import { type Client, createClient } from '../../generated/client.js'
import { type CallOptions, type ClientOptions, sendRequest, type WireParams } from '../client/index.js'
import { asProviderError } from './provider-error.js'

/** An EIP-1193 provider: what viem's `custom`, ethers' `BrowserProvider` and many wallets' users take. */
export interface Provider {
  /**
   * Sends a request of any method.
   * @param options `signal` cancels the request, which then rejects with the signal's reason
   * @throws CallError with `code`, `message` and `data` of the error that was answered
   * @throws ProviderError with a code of EIP-1193 or EIP-1474 where no answer came, or nothing could be sent
   */
  readonly request: (request: ProviderRequest, options?: CallOptions) => Promise<unknown>
  /** Takes a listener and never calls it: a key's network does not change, and the service sends nothing by itself. */
  readonly on: (event: string, listener: ProviderListener) => Provider
  /** Forgets a listener. */
  readonly removeListener: (event: string, listener: ProviderListener) => Provider
}

/** A request to a provider (EIP-1193, request). */
export interface ProviderRequest {
  readonly method: string
  readonly params?: readonly unknown[] | object | undefined
}

/** What hears of a provider's events (EIP-1193, events). */
export type ProviderListener = (...details: never[]) => void

/**
 * An EIP-1193 provider of the network that the URL's key belongs to. It holds no account and signs nothing: sign
 * with an account of viem's or a wallet of ethers', and send through it.
 * @param target a whole URL, key included, or a client that `createClient` made
 * @param options how to send, where a URL was given
 * @throws TypeError for a URL or a header that cannot be sent, RangeError for a time-out that is none
 */
export function createProvider(target: string | URL, options?: ClientOptions): Provider
export function createProvider(target: Client): Provider
export function createProvider(target: string | URL | Client, options?: ClientOptions): Provider {
  const isUrl = typeof target === 'string' || target instanceof URL
  const client = isUrl ? createClient(target, options) : target
  const provider: Provider = {
    request: async ({ method, params = [] }, options) => {
      try {
        return await sendRequest(client, method, params as WireParams, options)
      } catch (error) {
        throw options?.signal?.aborted ? error : asProviderError(error)
      }
    },
    on: () => provider,
    removeListener: () => provider,
  }
  return provider
}
