import type { CallOptions } from './client-options.js'
import type { PlainCallOptions } from './create-plain-rpc-client.js'
import type { BatchCall } from './create-rpc-client.js'

/** What a method of a generated client does: send a call, send it alone and once, or add it to a batch. */
export type CallKind = 'call' | 'plain' | 'batch'

/** The last parameter of a method. The calls of a batch share the options of the batch. */
export type OptionsOf<Kind extends CallKind> = Kind extends 'call'
  ? [options?: CallOptions]
  : Kind extends 'plain'
    ? [options?: PlainCallOptions]
    : []

/** What a method returns for a result. */
export type Returned<Kind extends CallKind, Result> = Kind extends 'batch'
  ? BatchCall<Result>
  : Promise<Result>
