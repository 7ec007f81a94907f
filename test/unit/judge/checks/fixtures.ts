import {
  type Contract,
  type JsonObject,
  type JsonValue,
  parseContract,
} from '../../../../src/toolkit/contract/index.js'

/** A contract with only these parts. */
export function contractOf(parts: { readonly [name: string]: JsonValue } = {}): Contract {
  return parseContract(
    JSON.stringify({ openrpc: '1.3.2', info: { title: 'T', version: '1.0.0' }, methods: [], ...parts }),
  )
}

/** A contract with one method `m`, whose result has this schema. */
export function methodOf(result: JsonValue, parts: JsonObject = {}): JsonObject {
  return {
    name: 'm',
    paramStructure: 'by-position',
    params: [],
    result: { name: 'r', schema: result },
    ...parts,
  }
}

/** Each problem as `path message`. */
export function shown(
  problems: readonly { readonly path: string; readonly message: string }[],
): readonly string[] {
  return problems.map(({ path, message }) => `${path} ${message}`)
}
