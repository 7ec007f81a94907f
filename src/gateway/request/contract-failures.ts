import { errorTable, failures } from '@concordat/node-access-contract/errors'
import { defaultFailures, type Failures } from '@concordat/server'

/** The contract's failures with their error codes, in the server's format, and the server's other failures. */
export const contractFailures = {
  ...defaultFailures,
  ...Object.fromEntries(
    Object.entries(failures).map(([name, facts]) => [name, { ...facts, code: errorTable[facts.error].code }]),
  ),
} as Failures & {
  readonly [Name in keyof typeof failures]: (typeof failures)[Name] & { readonly code: number }
}
