import type { ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { compilePattern, type JsonObject, type JsonValue, useExactMultiples } from '../../contract/index.js'
import { CheckError } from './check-error.js'
import type { Problem } from './problem.js'
import { problemWords } from './problem-words.js'
import { schemaFragment } from './schema-document.js'
import { tellingErrors } from './telling-errors.js'

/** Checks a value against the schema of a place. */
export type SchemaChecker = (place: string, value: JsonValue) => readonly Problem[]

/** The document's name among the schemas of one ajv. */
const documentId = 'document'

/** So many problems of one value are told. */
const problemsMost = 10
/** All problems are looked for in values of up to so many characters of JSON; in larger ones only the first. */
const charactersMost = 100_000

/** A checker of the schemas of {@link schemaDocument}; each is compiled when it is first asked for. */
export function createSchemaChecker(document: JsonObject): SchemaChecker {
  const first = compiler(document, false)
  const every = compiler(document, true)
  return (place, value) => {
    const judge = first(place)
    if (judge(value)) return []
    let errors = judge.errors
    if (JSON.stringify(value).length <= charactersMost) {
      const judgeAll = every(place)
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

function compiler(document: JsonObject, allErrors: boolean): (place: string) => ValidateFunction {
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
  return (place) => {
    try {
      if (!isAdded) ajv.addSchema({ ...document, $id: documentId }, undefined, false, false)
      isAdded = true
      const judge = ajv.getSchema(`${documentId}${schemaFragment(place)}`)
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
