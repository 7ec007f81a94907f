import {
  type CallOptions,
  type ClientOptions,
  type OwnMethod,
  sendRequest,
  type WireParams,
} from '@concordat/client'
import { type Client, createClient, type MethodName } from '@concordat/node-access-contract/client'
import type { Client as DecodedClient } from '@concordat/node-access-contract/decoded'
import type { AddressInput, Params, ResultOf } from '@concordat/node-access-contract/types'
import { asProviderError } from './provider-error.js'

/** An EIP-1193 provider for viem's `custom`, ethers' `BrowserProvider` and other libraries. */
export interface Provider {
  /**
   * Sends a request of any method. Parameters and result of the contract's methods are typed.
   * @param options `signal` cancels the request, which then rejects with the signal's reason
   * @throws CallError with `code`, `message` and `data` of the error response
   * @throws ProviderError with a code of EIP-1193 or EIP-1474, when no valid answer is received or the
   *   request cannot be sent
   */
  readonly request: {
    <const Method extends MethodName | (string & {}), const Sent extends ProviderParams<Method>>(
      request: { readonly method: Method; readonly params?: Sent | undefined },
      options?: CallOptions,
    ): Promise<Method extends MethodName ? ResultOf<Method, Sent> : unknown>
    /** A method that is not in the contract, with types from the caller. */
    <Own extends OwnMethod = never>(
      request: { readonly method: Own['method']; readonly params: Own['params'] },
      options?: CallOptions,
    ): Promise<Own['result']>
  }
  /**
   * Accepts a listener and never calls it: the network of a key is fixed, and the service sends no events.
   */
  readonly on: (event: string, listener: ProviderListener) => Provider
  /** Accepts a listener and does nothing. */
  readonly removeListener: (event: string, listener: ProviderListener) => Provider
}

/** Parameters of a method: those of the contract, and any for another method (EIP-1193, request). */
export type ProviderParams<Method> = Method extends MethodName ? Params[Method] : readonly unknown[] | object

/** Options of {@link createProvider}. */
export interface ProviderOptions {
  /**
   * Addresses that `eth_accounts` and `eth_requestAccounts` return, so that wallets' connectors connect. The
   * provider does not sign for them. Default: none; both methods are then sent to the service.
   */
  readonly accounts?: readonly AddressInput[] | undefined
}

/** A listener for provider events (EIP-1193, events). */
export type ProviderListener = (...details: never[]) => void

/**
 * Creates an EIP-1193 provider for the network of the URL's key. It does not sign. Sign with a viem account or
 * an ethers wallet, and send through the provider.
 * @param target a complete URL with its key, or a client of `createClient`
 * @param options `accounts`, and options of the client if a URL is given
 * @throws TypeError when the URL or a header is invalid
 * @throws RangeError when the timeout is invalid
 */
export function createProvider(target: string | URL, options?: ClientOptions & ProviderOptions): Provider
export function createProvider(target: Client | DecodedClient, options?: ProviderOptions): Provider
export function createProvider(
  target: string | URL | Client | DecodedClient,
  { accounts, ...options }: ClientOptions & ProviderOptions = {},
): Provider {
  const isUrl = typeof target === 'string' || target instanceof URL
  const client = isUrl ? createClient(target, options) : target
  const provider: Provider = {
    request: (async ({ method, params = [] }: AnyRequest, options?: CallOptions) => {
      if (accounts && accountMethods.has(method)) return [...accounts]
      try {
        return await sendRequest(client, method, params, options)
      } catch (error) {
        throw options?.signal?.aborted ? error : asProviderError(error)
      }
    }) as Provider['request'],
    on: () => provider,
    removeListener: () => provider,
  }
  return provider
}

interface AnyRequest {
  readonly method: string
  readonly params?: WireParams | undefined
}

/** Methods that ask for the accounts of a provider (EIP-1102, EIP-1474). */
const accountMethods: ReadonlySet<string> = new Set(['eth_accounts', 'eth_requestAccounts'])
