import { isObject, type JsonValue, objectMember, stringMember } from '../json.js'
import type { Contract } from '../model/contract.js'
import { createSchemaChecker } from './schema-checker.js'

/** Samples of the error data that the server adds itself, by error code (JSON-RPC 2.0, section 5.1). */
const addedData: Readonly<Record<number, JsonValue>> = {
  [-32602]: [{ path: '/0', rule: 'type', message: 'must be a string' }],
  [-32603]: { reference: '0123456789' },
}

/** Failures of `x-failures` that report a limit, and a sample of the data that the server adds to them. */
const limitFailures = [
  'tooDeep',
  'tooManyValues',
  'bodyTooLarge',
  'batchTooLarge',
  'slowBody',
  'headersTooLarge',
]
const limitData = { limit: 1, unit: 'bytes', sent: 2 }

/** Returns the codes of the errors that a contract states for these failures. */
function limitCodes({ info, errors }: Contract): readonly number[] {
  const failures = objectMember(info, 'x-failures')
  const keys = limitFailures.flatMap((name) => {
    const stated = failures[name]
    return (isObject(stated) && stringMember(stated, 'error')) || []
  })
  return [
    ...new Set(errors.flatMap(({ key, code }) => (key !== undefined && keys.includes(key) ? [code] : []))),
  ]
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
  const added = [
    ...Object.entries(addedData).map(([code, data]) => [Number(code), data] as const),
    ...limitCodes(contract).map((code) => [code, limitData] as const),
  ]
  return added.flatMap(([code, sample]) => {
    const listed = contract.errors.filter((error) => error.code === code)
    const fits = listed.some(({ data }) => data !== undefined && check(data, sample).length === 0)
    return listed.length === 0 || fits ? [] : [code]
  })
}
