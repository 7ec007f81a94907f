import { OperatorError, reasonOf, systemCode } from './operator-error.js'

const MODULE_MISSING = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])

/**
 * Loads a module that needs an optional dependency. Dependencies of the service are optional, because users of the
 * toolkit do not need them.
 * @throws OperatorError `dependency_missing`, which names the package and how to install it
 */
export async function loadOptional<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    throw explainMissing(error) ?? error
  }
}

/** Converts the error of a missing package to an `OperatorError`; undefined for other errors. */
export function explainMissing(error: unknown): OperatorError | undefined {
  if (!MODULE_MISSING.has(systemCode(error) ?? '')) return undefined
  const specifier = /Cannot find (?:package|module) '([^'./][^']*)'/.exec(reasonOf(error))?.[1]
  if (specifier === undefined) return undefined
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  return new OperatorError(
    'dependency_missing',
    `The optional package ${name} is required but not installed. Run: npm install ${name}`,
    { cause: error },
  )
}
