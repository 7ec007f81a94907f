import type { RpcService } from './create-service.js'

/** The function that creates the context of a request's handlers. Optional if they accept undefined. */
export type ContextOption<Request, Context> = undefined extends Context
  ? { readonly context?: ((request: Request) => Context | PromiseLike<Context>) | undefined }
  : { readonly context: (request: Request) => Context | PromiseLike<Context> }

/** Options of a transport: the service, and the context of its handlers. A context function may throw an RpcError. */
export type MountOptions<Request, Context> = ContextOption<Request, Context> & {
  readonly service: RpcService<Context>
}

/** The function that creates contexts; without one they are undefined. */
export function contextOf<Request, Context>(
  options: ContextOption<Request, Context>,
): (request: Request) => Context | PromiseLike<Context> {
  return options.context ?? (() => undefined as Context)
}
