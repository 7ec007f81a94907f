import { errorTable, failures } from '../../../generated/errors.js'

/** The contract's failures with the codes of their errors, as the server takes them. */
export const contractFailures = Object.fromEntries(
  Object.entries(failures).map(([name, facts]) => [name, { ...facts, code: errorTable[facts.error].code }]),
) as { readonly [Name in keyof typeof failures]: (typeof failures)[Name] & { readonly code: number } }
