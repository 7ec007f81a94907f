import { isAlias, isMap, isScalar, parseDocument as parseYaml, visit } from 'yaml'
import { contractError } from './contract-error.js'
import type { JsonValue } from './json.js'

/** How often aliases of a YAML document may be used, each counted with what it stands for. */
const aliasesMost = 1000

/**
 * A document from its text: JSON, or YAML 1.2 where the name says so or the text is no JSON.
 * @param name the file's name, for its ending
 * @throws ContractError with line and column where it is neither, or holds what JSON cannot say
 */
export function parseDocument(text: string, name: string): JsonValue {
  const content = text.replace(/^\uFEFF/, '')
  if (/\.ya?ml$/i.test(name)) return parsedYaml(content)
  try {
    return JSON.parse(content) as JsonValue
  } catch (cause) {
    if (!/\.json$/i.test(name) && !/^\s*[[{]/.test(content)) return parsedYaml(content)
    throw contractError('', `is no JSON: ${jsonReason(content, cause)}`, { cause })
  }
}

/** What is wrong and where: V8 tells the offset of most mistakes. */
function jsonReason(content: string, cause: unknown): string {
  const reason = (cause instanceof Error ? cause.message : String(cause)).replaceAll(/\s+/g, ' ')
  const offset = /at position (\d+)/.exec(reason)?.[1]
  if (offset === undefined || reason.includes('(line ')) return reason
  const before = content.slice(0, Number(offset)).split('\n')
  return `${reason} (line ${before.length} column ${(before.at(-1) ?? '').length + 1})`
}

function parsedYaml(content: string): JsonValue {
  const document = parseYaml(content, { version: '1.2', merge: true, uniqueKeys: true })
  const [error] = document.errors
  if (error) throw contractError('', `is no YAML: ${(error.message.split('\n')[0] ?? '').replace(/:$/, '')}`)
  const problem = noJson(document)
  if (problem !== undefined) throw contractError('', problem)
  try {
    return document.toJS({ maxAliasCount: aliasesMost }) as JsonValue
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw contractError('', `is no YAML that can be used: ${reason}`, { cause })
  }
}

/** What JSON has no word for: keys that are no text, numbers that are none. */
function noJson(document: ReturnType<typeof parseYaml>): string | undefined {
  let problem: string | undefined
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key) ? typeof key.value === 'object' : isMap(key) || isAlias(key)) {
        problem = 'has a key that is no text'
        return visit.BREAK
      }
      return undefined
    },
    Scalar: (_, { value }) => {
      if (typeof value !== 'number' || Number.isFinite(value)) return undefined
      problem = `has the number ${value}, which JSON cannot say`
      return visit.BREAK
    },
  })
  return problem
}
