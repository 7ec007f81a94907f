import { createRequire } from 'node:module'

/** What `@open-rpc/server-js` exports. */
export type ServerJs = typeof import('@open-rpc/server-js')
/** Its `Router`: the methods of one document. */
export type Router = InstanceType<ServerJs['Router']>
/** Its `ServerTransport`: one way in, for any number of routers. */
export type ServerTransport = InstanceType<ServerJs['transports']['ServerTransport']>

const PACKAGE = '@open-rpc/server-js'
const MISSING = 'MODULE_NOT_FOUND'

/** The package that this part of the toolkit works with is not installed. */
export class MissingServerJsError extends Error {
  override readonly name = 'MissingServerJsError'

  constructor(cause: unknown) {
    super(`concordat/server-js works with the package ${PACKAGE}: npm install ${PACKAGE}`, { cause })
  }
}

/**
 * Loads the package. It is an optional peer, so that nobody else installs it; and it is loaded at once, not awaited,
 * so that CommonJS can `require` what is built upon it.
 *
 * @param require resolves the package
 * @throws MissingServerJsError where it is not installed
 */
export function loadServerJs(require: (name: string) => unknown = createRequire(import.meta.url)): ServerJs {
  try {
    return require(PACKAGE) as ServerJs
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw code === MISSING && message.includes(`'${PACKAGE}'`) ? new MissingServerJsError(cause) : cause
  }
}

/** The package, loaded with the first module that builds upon it. */
export const serverJs: ServerJs = loadServerJs()
