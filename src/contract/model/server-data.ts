import type { JsonValue } from '../json.js'
import { createSchemaChecker } from '../lint/schema-checker.js'
import type { Contract } from './contract.js'

/** The data that a server adds by itself, by the code of its error (JSON-RPC 2.0, section 5.1): what each looks like. */
const addedData: Readonly<Record<number, JsonValue>> = {
  [-32602]: [{ path: '/0', rule: 'type', message: 'must be a string' }],
  [-32603]: { reference: '0123456789' },
}

/**
 * The codes whose errors must go out without the data that a server adds by itself. A contract that gives some error a
 * form for its data (`x-data-schema`) allows no data to those that it lists without one, and no other than theirs to
 * the rest.
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
