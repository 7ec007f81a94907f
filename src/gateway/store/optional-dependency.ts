import { OperatorError, reasonOf, systemCode } from './operator-error.js'

const MODULE_MISSING = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])

/**
 * Loads a module that needs an optional dependency (the database and the chain are optional: who only
 * wants the toolkit need not carry them).
 * @throws OperatorError `dependency_missing`, naming the package and how to install it.
 */
export async function loadOptional<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    throw explainMissing(error) ?? error
  }
}

/** An `OperatorError` naming the missing package, or undefined where the error is another one. */
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
    `The optional package ${name} is needed for this and is not installed: npm install ${name}`,
    { cause: error },
  )
}
