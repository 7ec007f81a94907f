import { type ContractError, problemText } from '../contract/index.js'
import { printable } from './printable.js'

/** Why a contract cannot be used: one problem in one line; several, one a line under their number. */
export function contractMessage(document: string, { problems }: ContractError): string {
  const lines = problems.map((problem) => printable(problemText(problem).replaceAll(/\s+/g, ' ')))
  if (lines.length === 1) return `${document}: ${lines[0]}`
  return `${document}: ${lines.length} problems\n${lines.map((line) => `  ${line}`).join('\n')}`
}
