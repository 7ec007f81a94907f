import type { JsonValue, RawJson, RawJsonStream } from '@concordat/rpc'
import type { Asker } from '../cache/index.js'
import type { NodeCall, NodeCallOptions } from '../nodes/index.js'
import type { MethodProfile, NetworkTerms } from '../profiles/index.js'

/**
 * Answers a method by calling nodes.
 * @param params valid positional parameters, with defaults filled in
 * @throws RpcError an error of the contract
 */
export type Plan = (
  call: NodeCall,
  profile: MethodProfile,
  params: readonly JsonValue[],
  options?: NodeCallOptions,
) => Promise<JsonValue>

/**
 * Checks parameters beyond their schemas, before a node is called.
 * @param params valid positional parameters, with defaults filled in
 * @throws RpcError an error of the contract
 */
export type ParamsCheck = (params: readonly JsonValue[], network: NetworkTerms) => void

/** The caller of a method whose answers are not shared between callers. */
export interface SingleCaller extends Asker {
  readonly userId: string
  /** The request, which the calls of a batch share. */
  readonly request: object
  /** Returns a signal that aborts when the caller disconnects before the answer. */
  onDisconnect?(): AbortSignal
  /** True when the request is a batch. */
  readonly inBatch: boolean
  /**
   * Counts the bytes of logs that the request holds in memory.
   * @param bytes negative when they are released
   * @returns false when the request would hold more than the contract's `logsHeldBytes`, or the memory for all users
   *   is used up
   */
  holdLogs(bytes: number): boolean
  /** True when the memory for all users was the reason of the last refusal. */
  readonly lacksMemory?: boolean
}

/** Answers a method for one caller. */
export type SingleAnswer = (
  params: readonly JsonValue[],
  caller: SingleCaller,
) => Promise<RawJson | RawJsonStream>

/** A method that the service has code for (`x-answer`). */
export type MethodCode =
  /** Answered from the parameters, without a node. */
  | { readonly local: (params: readonly JsonValue[]) => JsonValue }
  /** Identical concurrent calls share one answer. The contract defines how it is cached. */
  | { readonly shared: Plan; readonly check?: ParamsCheck }
  /** Each call has its own answer, which may be too large for memory or the cache. */
  | { readonly single: (call: NodeCall, nodeCallsPerSecond: () => number) => SingleAnswer }
