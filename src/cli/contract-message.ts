import { dirname, join } from 'node:path'
import {
  type ContractError,
  type ContractProblem,
  documentOf,
  documentPath,
  isServiceUrl,
  problemText,
} from '../toolkit/contract/index.js'
import { printable } from '../toolkit/text/index.js'

/**
 * Returns the name of a document for messages. The path, query and user name of a service's URL may be secret.
 * @param source the document argument of a command
 */
export function shownSource(source: string): string {
  if (source === '-') return 'standard input'
  if (!isServiceUrl(source)) return source
  if (!URL.canParse(source)) return 'the URL'
  const { origin, pathname, search, username, password } = new URL(source)
  const isPublic = pathname === '/' && [search, username, password].every((part) => part === '')
  return isPublic ? origin : `${origin}/•••••`
}

function isNamed(source: string): boolean {
  return source !== '-' && !isServiceUrl(source)
}

/**
 * Explains why a contract cannot be used: one problem in one line, several as a list.
 * @param source the document argument of the command, `-` for standard input
 * @param error the problems
 */
export async function contractMessage(source: string, error: ContractError): Promise<string> {
  const { problems } = error
  const document = isNamed(source) ? await documentPath(source).catch(() => source) : shownSource(source)
  const lines = problems.map((problem) => {
    const text = problemText(problem).replaceAll(/\s+/g, ' ')
    const place = placeOf(document, problem)
    if (place !== undefined) return printable(`${place}  ${text}`)
    return printable(problems.length === 1 ? `${document}: ${text}` : text)
  })
  if (lines.length === 1) return lines.join()
  return `${printable(document)}: ${lines.length} problems\n${lines.map((line) => `  ${line}`).join('\n')}`
}

/**
 * Returns the position as `openrpc.json:12:5`, or undefined without one or if the message already contains
 * it.
 */
function placeOf(document: string, { pointer, position }: ContractProblem): string | undefined {
  if (pointer === '' || !position) return undefined
  return `${contractFile(document, documentOf(pointer))}:${position.line}:${position.column}`
}

/**
 * Returns the path of a contract file relative to the current folder, like the command's argument.
 * @param document the main document as shown to the user
 * @param file the file name relative to the main document, `''` for the main document
 */
export function contractFile(document: string, file: string): string {
  if (file === '') return document
  return file.includes('://') ? file : join(dirname(document), decodeURIComponent(file))
}
