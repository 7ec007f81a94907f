import type { JsonValue } from '../json.js'
import type { Contract } from './contract.js'
import { createSchemaChecker } from './schema-checker.js'

/** Samples of the error data that the server adds itself, by error code (JSON-RPC 2.0, section 5.1). */
const addedData: Readonly<Record<number, JsonValue>> = {
  [-32602]: [{ path: '/0', rule: 'type', message: 'must be a string' }],
  [-32603]: { reference: '0123456789' },
}

/**
 * Lists the codes whose errors the server must send without its own data. If any error of the contract
 * declares a data schema, the server's data must match the schema declared for its code.
 * @param contract the model of the contract
 * @returns codes whose declared data does not match the server's own data
 */
export function codesWithoutData(contract: Contract): readonly number[] {
  if (contract.errors.every(({ data }) => data === undefined)) return []
  const check = createSchemaChecker(contract)
  return Object.entries(addedData).flatMap(([text, added]) => {
    const listed = contract.errors.filter(({ code }) => code === Number(text))
    const fits = listed.some(({ data }) => data !== undefined && check(data, added).length === 0)
    return listed.length === 0 || fits ? [] : [Number(text)]
  })
}
