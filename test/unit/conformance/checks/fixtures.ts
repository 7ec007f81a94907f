import {
  type Contract,
  type JsonObject,
  type JsonValue,
  parseContract,
} from '../../../../src/contract/index.js'

/** A contract with the given parts and nothing else. */
export function contractOf(parts: { readonly [name: string]: JsonValue } = {}): Contract {
  return parseContract(
    JSON.stringify({ openrpc: '1.3.2', info: { title: 'T', version: '1.0.0' }, methods: [], ...parts }),
  )
}

/** A method `m` with a result of a schema. */
export function methodOf(result: JsonValue, parts: JsonObject = {}): JsonObject {
  return {
    name: 'm',
    paramStructure: 'by-position',
    params: [],
    result: { name: 'r', schema: result },
    ...parts,
  }
}

/** `path message` of each problem. */
export function shown(
  problems: readonly { readonly path: string; readonly message: string }[],
): readonly string[] {
  return problems.map(({ path, message }) => `${path} ${message}`)
}
