import { InvalidProperties } from '../../keys/index.js'
import type { OperatorError } from '../../util/index.js'
import type { FormProblems } from '../parts/form.js'

/** Assigns the reasons why a key's input is invalid to form fields; to the whole form if they are about none. */
export function problemsOf(error: OperatorError): FormProblems {
  const reasons = error instanceof InvalidProperties ? error.reasons : { [error.field ?? '']: error.message }
  return Object.fromEntries(Object.entries(reasons).map(([field, reason]) => [field, shown(reason)]))
}

/** Each invalid entry of a list gets its own line. */
const shown = (reason: string) => `${reason.replaceAll('; "', ';\n"')}.`
