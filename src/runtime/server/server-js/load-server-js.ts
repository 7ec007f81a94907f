import { createRequire } from 'node:module'

/** The exports of `@open-rpc/server-js`. */
export type ServerJs = typeof import('@open-rpc/server-js')
/** A `Router` of the package: the methods of one document. */
export type Router = InstanceType<ServerJs['Router']>
/** A `ServerTransport` of the package: an entry point for any number of routers. */
export type ServerTransport = InstanceType<ServerJs['transports']['ServerTransport']>

const PACKAGE = '@open-rpc/server-js'
const MISSING = 'MODULE_NOT_FOUND'

/** The package `@open-rpc/server-js` is not installed. */
export class MissingServerJsError extends Error {
  override readonly name = 'MissingServerJsError'

  constructor(cause: unknown) {
    super(`@concordat/server/server-js needs the package ${PACKAGE}: npm install ${PACKAGE}`, { cause })
  }
}

/**
 * Loads `@open-rpc/server-js`, which is an optional peer dependency. It is loaded synchronously, so that
 * CommonJS can `require` modules built on it.
 *
 * @param require loads the package
 * @throws MissingServerJsError if the package is not installed
 */
export function loadServerJs(require: (name: string) => unknown = createRequire(import.meta.url)): ServerJs {
  try {
    return require(PACKAGE) as ServerJs
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw code === MISSING && message.includes(`'${PACKAGE}'`) ? new MissingServerJsError(cause) : cause
  }
}

/** The package, loaded together with the first module that uses it. */
export const serverJs: ServerJs = loadServerJs()
