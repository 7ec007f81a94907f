import { dirname, join } from 'node:path'
import {
  type ContractError,
  type ContractProblem,
  documentOf,
  documentPath,
  problemText,
} from '../contract/index.js'
import { printable } from './printable.js'

/**
 * Why a contract cannot be used: one problem in one line, several in one line each.
 * @param source the document as the command was given it, `-` for standard input
 */
export async function contractMessage(source: string, { problems }: ContractError): Promise<string> {
  const document = source === '-' ? 'standard input' : await documentPath(source).catch(() => source)
  const lines = problems.map((problem) => {
    const text = problemText(problem).replaceAll(/\s+/g, ' ')
    const place = placeOf(document, problem)
    if (place !== undefined) return printable(`${place}  ${text}`)
    return printable(problems.length === 1 ? `${document}: ${text}` : text)
  })
  if (lines.length === 1) return lines.join()
  return `${printable(document)}: ${lines.length} problems\n${lines.map((line) => `  ${line}`).join('\n')}`
}

/** The position as `openrpc.json:12:5`; undefined when the message contains it, or without one. */
function placeOf(document: string, { pointer, position }: ContractProblem): string | undefined {
  if (pointer === '' || !position) return undefined
  return `${contractFile(document, documentOf(pointer))}:${position.line}:${position.column}`
}

/**
 * The path of a contract file, relative to the current folder like the argument of the command.
 * @param document the contract's own document, as it is shown
 * @param file the file's name relative to that document, `''` for the document itself
 */
export function contractFile(document: string, file: string): string {
  if (file === '') return document
  return file.includes('://') ? file : join(dirname(document), decodeURIComponent(file))
}
