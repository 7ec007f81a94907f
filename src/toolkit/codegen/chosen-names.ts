import {
  type Contract,
  type DeclaredError,
  isObject,
  type JsonValue,
  member,
  objectMember,
} from '../contract/index.js'
import { isFreeName } from './types/identifiers.js'
import type { TypeNames } from './types/type-writer.js'

/**
 * Names of a project in place of generated ones. Keys are generated names, or the JSON pointers of schemas and
 * errors.
 */
export interface ChosenNames {
  /** Names of types. */
  readonly types?: Readonly<Record<string, string>> | undefined
  /** Names of errors. */
  readonly errors?: Readonly<Record<string, string>> | undefined
}

/** A chosen name cannot be used. */
export class ChosenNameError extends Error {
  override readonly name = 'ChosenNameError'
  /**
   * @param path the member of the chosen names
   * @param message what is wrong
   */
  constructor(
    readonly path: readonly ['types' | 'errors', string],
    message: string,
  ) {
    super(message)
  }
}

/**
 * Renames the errors of a contract.
 * @throws ChosenNameError for an unknown error, and for a name that another error has
 */
export function withErrorNames(contract: Contract, chosen: ChosenNames['errors'] = {}): Contract {
  if (Object.keys(chosen).length === 0) return contract
  const places = [...contract.errors, ...contract.methods.flatMap(({ errors }) => errors)]
  const known = new Map(places.flatMap(({ pointer, key }) => [[pointer, key] as const, [key, key] as const]))
  const renamed = renaming(
    'errors',
    chosen,
    known,
    contract.errors.map(({ key }) => key),
  )
  const withName = (error: DeclaredError): DeclaredError => ({ ...error, key: renamed(error.key) })
  const failures = Object.entries(objectMember(contract.info, 'x-failures')).map(
    ([name, failure]) => [name, withErrorName(failure, renamed)] as const,
  )
  return {
    ...contract,
    ...(failures.length > 0 && { info: { ...contract.info, 'x-failures': Object.fromEntries(failures) } }),
    errors: contract.errors.map(withName),
    methods: contract.methods.map((method) => ({ ...method, errors: method.errors.map(withName) })),
  }
}

function withErrorName(failure: JsonValue | undefined, renamed: (name: string) => string): JsonValue {
  const error = isObject(failure) ? member(failure, 'error') : undefined
  return isObject(failure) && typeof error === 'string'
    ? { ...failure, error: renamed(error) }
    : (failure ?? null)
}

/**
 * Renames types. Equal schemas share the name that is chosen for one of them.
 * @param names the generated names
 * @param own the names that types.ts uses itself
 * @throws ChosenNameError for an unknown type, and for a name that cannot be used or that another type has
 */
export function withTypeNames(
  names: TypeNames,
  own: ReadonlySet<string>,
  chosen: ChosenNames['types'] = {},
): TypeNames {
  for (const [key, name] of Object.entries(chosen)) {
    if (isFreeName(name) && !own.has(name)) continue
    throw new ChosenNameError(
      ['types', key],
      `"${name}" is no name, or is one of TypeScript or generated code`,
    )
  }
  const all = [...names.all()]
  const known = new Map([...all.map((name) => [name, name] as const), ...names])
  return names.renamed(renaming('types', chosen, known, all))
}

/**
 * Returns a function from generated to chosen names.
 * @param kind the names that are chosen
 * @param chosen the chosen names by key
 * @param known the generated names by key
 * @param all the generated names
 */
function renaming(
  kind: 'types' | 'errors',
  chosen: Readonly<Record<string, string>>,
  known: ReadonlyMap<string, string>,
  all: readonly string[],
): (name: string) => string {
  const renamed = new Map<string, string>()
  for (const [key, name] of Object.entries(chosen)) {
    const generated = known.get(key)
    if (generated === undefined) {
      const what = kind === 'types' ? 'type' : 'error'
      throw new ChosenNameError(
        [kind, key],
        `there is no ${what} "${key}": give its generated name or its JSON pointer`,
      )
    }
    if ((renamed.get(generated) ?? name) !== name) {
      throw new ChosenNameError(
        [kind, key],
        `"${generated}" has another name already: ${renamed.get(generated)}`,
      )
    }
    renamed.set(generated, name)
  }
  const result = (name: string) => renamed.get(name) ?? name
  for (const [key, name] of Object.entries(chosen)) {
    if (all.filter((other) => result(other) === name).length < 2) continue
    throw new ChosenNameError([kind, key], `the name "${name}" is taken: choose another one`)
  }
  return result
}
