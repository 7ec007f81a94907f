import { errorTable, failures } from '@concordat/node-access-contract/errors'

/** The contract's failures with their error codes, in the server's format. */
export const contractFailures = Object.fromEntries(
  Object.entries(failures).map(([name, facts]) => [name, { ...facts, code: errorTable[facts.error].code }]),
) as { readonly [Name in keyof typeof failures]: (typeof failures)[Name] & { readonly code: number } }
