import type { JsonValue } from '@concordat/rpc'
import type { ClientOptions, Codec, Middleware, Next, ResultValidator } from '../client-options.js'

/** The functions that send a call through the layers of a client. */
export interface LayeredCall {
  /** Takes and returns values of the application, as `decode` converts them. */
  readonly call: Next
  /** Takes and returns values of the wire. */
  readonly wire: Next
}

/**
 * Puts the layers of a client around the function that sends a call: `decode`, then the middleware in its
 * order, then `validate`. Middleware and validation see values of the wire.
 * @param options options of the client
 * @param send sends a call and resolves to its result
 */
export function layeredCall({ decode, middleware = [], validate }: ClientOptions, send: Next): LayeredCall {
  const checked = validate ? validating(validate)(send) : send
  const wire = middleware.reduceRight((next, layer) => layer(next), checked)
  return { wire, call: decode ? decoding(decode)(wire) : wire }
}

function decoding(codec: Codec): Middleware {
  return (next) => async (call) => {
    const params = codec.params(call.method, call.params)
    const result = await next({ ...call, params })
    return codec.result(call.method, result as JsonValue | undefined)
  }
}

function validating(validate: ResultValidator): Middleware {
  return (next) => async (call) => {
    const result = await next(call)
    validate(call.method, call.params, result as JsonValue | undefined)
    return result
  }
}
