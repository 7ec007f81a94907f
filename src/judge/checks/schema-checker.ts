import type { AnySchema, ErrorObject, ValidateFunction } from 'ajv'
import {
  compilePattern,
  createAjv,
  formats,
  type JsonObject,
  type JsonValue,
  usesUnevaluated,
} from '../../toolkit/contract/index.js'
import type { Problem } from '../expect/schema-check.js'
import { helpfulErrors } from './helpful-errors.js'
import { problemWords } from './problem-words.js'
import { documentId, placeOfKeyword, schemaReference } from './schema-document.js'

/** Validates a value against the schema at a place. */
export type SchemaChecker = (place: string, value: JsonValue) => readonly Problem[]

/** Maximum number of problems that are reported for one value. */
const maxProblems = 10
/**
 * Maximum size of a value, in characters of JSON, for which all problems are collected. Larger values report
 * only the first.
 */
const maxCharacters = 100_000

/**
 * Creates a validator for the schemas of {@link schemaDocument}. Each schema is compiled on first use. Services may
 * validate formats or not (draft-07 validation, section 7.2): a value fits if it fits in one of both readings. In `oneOf`,
 * a format can tell two alternatives apart, so that a value fits only where formats are validated.
 */
export function createSchemaChecker(document: JsonObject): SchemaChecker {
  const first = compiler(document, false)
  const withFormats = compiler(document, false, true)
  const every = compiler(document, true)
  return (place, value) => {
    if (first.at(place)(value) || withFormats.at(place)(value)) return []
    const { at, part } = JSON.stringify(value).length <= maxCharacters ? every : first
    const errors = helpfulErrors(errorsOf(at(place), value), (form, data) => errorsOf(part(form), data))
    return firstProblems(errors)
  }
}

/** Returns the first distinct problems, at most {@link maxProblems}. */
function firstProblems(errors: readonly ErrorObject[]): readonly Problem[] {
  const problems = new Map<string, Problem>()
  for (const error of errors) {
    const path = error.instancePath
    const message = problemWords(error)
    problems.set(`${path} ${message}`, { path, message, place: placeOf(error), member: memberOf(error) })
    if (problems.size === maxProblems) break
  }
  return [...problems.values()]
}

/** Returns the place of the violated keyword in the contract. */
function placeOf({ parentSchema, keyword }: ErrorObject): string | undefined {
  return parentSchema === undefined ? undefined : placeOfKeyword(parentSchema, keyword)
}

/** Returns the member that is missing, or must not be there. */
function memberOf({ params }: ErrorObject): string | undefined {
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName } = params
  const name = missingProperty ?? additionalProperty ?? unevaluatedProperty ?? propertyName
  return name === undefined ? undefined : String(name)
}

function errorsOf(judge: ValidateFunction, data: unknown): readonly ErrorObject[] {
  return judge(data) ? [] : [...(judge.errors ?? [])]
}

/** Compiles the schemas of a document. */
interface Compiler {
  /** Compiles the schema at a place. */
  readonly at: (place: string) => ValidateFunction
  /** Compiles a part of a schema that was compiled before. */
  readonly part: (schema: AnySchema) => ValidateFunction
}

function compiler(document: JsonObject, allErrors: boolean, validateFormats = false): Compiler {
  const options = {
    allErrors,
    strict: false,
    validateSchema: false,
    validateFormats,
    formats,
    ownProperties: true,
    verbose: true,
    logger: false,
    code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
  } as const
  const ajv = createAjv(options, usesUnevaluated(document))
  let isAdded = false
  const at = (place: string) => {
    try {
      if (!isAdded) ajv.addSchema({ ...document, $id: documentId }, undefined, false, false)
      isAdded = true
      const judge = ajv.getSchema(schemaReference(place))
      if (judge) return judge
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new CheckError(`The schema at ${place} cannot be used: ${reason}.`, { cause })
    }
    throw new CheckError(`The contract has no schema at ${place}.`)
  }
  return { at, part: (schema) => ajv.compile(schema) }
}

/**
 * A check cannot run, because a pointer leads to no schema or a schema cannot be compiled. The message is one
 * sentence.
 */
export class CheckError extends Error {
  override readonly name = 'CheckError'
}
