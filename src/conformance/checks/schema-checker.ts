import type { ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { compilePattern, type JsonObject, type JsonValue, useExactMultiples } from '../../contract/index.js'
import { CheckError } from './check-error.js'
import { fragmentOf } from './fragment-of.js'
import type { Problem } from './problem.js'
import { problemWords } from './problem-words.js'
import { tellingErrors } from './telling-errors.js'

/**
 * Checks a value against a schema of a document.
 * @param tokens where it stands there
 * @param place where it stands in the contract, for messages
 */
export type SchemaChecker = (tokens: readonly string[], place: string, value: JsonValue) => readonly Problem[]

/** The document's name among the schemas of one ajv. */
const documentId = 'document'

/** So many problems of one value are told. */
const problemsMost = 10
/** All problems are looked for in values of up to so many characters of JSON; in larger ones only the first. */
const charactersMost = 100_000

/** A checker of the schemas in a document; each is compiled when it is first asked for. */
export function createSchemaChecker(document: JsonObject): SchemaChecker {
  const first = compiler(document, false)
  const every = compiler(document, true)
  return (tokens, place, value) => {
    const judge = first(tokens, place)
    if (judge(value)) return []
    let errors = judge.errors
    if (JSON.stringify(value).length <= charactersMost) {
      const judgeAll = every(tokens, place)
      judgeAll(value)
      errors = judgeAll.errors
    }
    const problems = tellingErrors(errors ?? []).map((error) => ({
      path: error.instancePath,
      message: problemWords(error),
    }))
    return distinct(problems).slice(0, problemsMost)
  }
}

function compiler(
  document: JsonObject,
  allErrors: boolean,
): (tokens: readonly string[], place: string) => ValidateFunction {
  const ajv = new Ajv2019({
    allErrors,
    strict: false,
    validateSchema: false,
    validateFormats: false,
    ownProperties: true,
    verbose: true,
    logger: false,
    code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
  })
  useExactMultiples(ajv)
  let isAdded = false
  return (tokens, place) => {
    try {
      if (!isAdded) ajv.addSchema({ ...document, $id: documentId }, undefined, false, false)
      isAdded = true
      const judge = ajv.getSchema(`${documentId}${fragmentOf(tokens)}`)
      if (judge) return judge
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new CheckError(`The schema at ${place} cannot be used: ${reason}.`, { cause })
    }
    throw new CheckError(`The contract has no schema at ${place}.`)
  }
}

function distinct(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((problem) => [`${problem.path} ${problem.message}`, problem])).values()]
}
