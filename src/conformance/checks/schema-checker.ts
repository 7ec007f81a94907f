import type { ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import type { JsonObject, JsonValue } from '../../contract/index.js'
import { CheckError } from './check-error.js'
import type { Problem } from './problem.js'
import { problemWords } from './problem-words.js'
import { tellingErrors } from './telling-errors.js'

/** Checks a value against the schema at a place in a document, given by the tokens of its pointer. */
export type SchemaChecker = (tokens: readonly string[], value: JsonValue) => readonly Problem[]

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
  return (tokens, value) => {
    const reference = referenceTo(tokens)
    const judge = first(reference)
    if (judge(value)) return []
    let errors = judge.errors
    if (JSON.stringify(value).length <= charactersMost) {
      const judgeAll = every(reference)
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

function compiler(document: JsonObject, allErrors: boolean): (reference: string) => ValidateFunction {
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
  let isAdded = false
  return (reference) => {
    try {
      if (!isAdded) ajv.addSchema({ ...document, $id: documentId }, undefined, false, false)
      isAdded = true
      const judge = ajv.getSchema(reference)
      if (judge) return judge
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new CheckError(`The schema at ${pointerOf(reference)} cannot be used: ${reason}.`, { cause })
    }
    throw new CheckError(`The contract has no schema at ${pointerOf(reference)}.`)
  }
}

/** With the flag `u` where the pattern allows it: JSON Schema counts in code points, and asks for no flag. */
function compilePattern(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags)
  } catch {
    return new RegExp(source)
  }
}

/** As a reference of a schema would spell it: a name may hold what means something in a URL. */
function referenceTo(tokens: readonly string[]): string {
  return tokens
    .map((token) => `/${escaped(token)}`)
    .reduce((joined, token) => joined + token, `${documentId}#`)
}

function escaped(token: string): string {
  return encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function pointerOf(reference: string): string {
  return decodeURIComponent(reference.slice(reference.indexOf('#')))
}

function distinct(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((problem) => [`${problem.path} ${problem.message}`, problem])).values()]
}
