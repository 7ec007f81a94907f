export { compilePattern } from './compile-pattern.js'
export type {
  Contract,
  DeclaredError,
  ExamplePairing,
  Link,
  Method,
  Param,
} from './contract.js'
export { ContractError, type ContractProblem, contractError, problemText } from './contract-error.js'
export type { Change } from './diff/change.js'
export { diffContracts } from './diff/diff-contracts.js'
export { documentOf, pointerOf } from './documents.js'
export { formatPatterns, formats, isValidatedFormat } from './formats.js'
export {
  arrayMember,
  extensionMembers,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  objectMember,
  stringMember,
} from './json.js'
export { canonicalPointer, joinPath, joinPointer, pointerTokens, valueAt } from './json-pointer.js'
export { type LintFinding, lintContract } from './lint/lint-contract.js'
export { lintRules } from './lint/lint-rules.js'
export { createSchemaChecker, type SchemaChecker } from './lint/schema-checker.js'
export { loadContract, parseContract } from './load-contract.js'
export { documentPath } from './load-documents.js'
export { isMultipleOf, useExactMultiples } from './multiple-of.js'
export { declaredSchemas, followed, reachableSchemas } from './reachable-schemas.js'
export {
  isSchema,
  type LocatedSchema,
  referenceOf,
  type Schema,
  schemaKeywords,
  schemaList,
  schemaMap,
  schemaMember,
} from './schema.js'
export {
  namesInheritedMembers,
  type SchemaSet,
  schemaSet,
  usesNextDraft,
} from './schema-set.js'
export { codesWithoutData } from './server-data.js'
