import type { CallOptions } from './client-options.js'
import type { BatchCall } from './create-rpc-client.js'

/** What a method of a generated client does: send a call, or add a call to a batch. */
export type CallKind = 'call' | 'batch'

/** The last parameter of a method. The calls of a batch share the options of the batch. */
export type OptionsOf<Kind extends CallKind> = Kind extends 'call' ? [options?: CallOptions] : []

/** What a method returns for a result. */
export type Returned<Kind extends CallKind, Result> = Kind extends 'call'
  ? Promise<Result>
  : BatchCall<Result>
