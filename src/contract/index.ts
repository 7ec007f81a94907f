export { bundleDocuments, bundledComponents } from './bundle/bundle-documents.js'
export { publishDocument, withoutPrivateTerms } from './bundle/publish-document.js'
export { ContractError, type ContractProblem, contractError, problemText } from './contract-error.js'
export { createAjv } from './create-ajv.js'
export { canonicalText } from './diff/canonical.js'
export type { Change } from './diff/change.js'
export { changeKinds } from './diff/change-kinds.js'
export { diffContracts } from './diff/diff-contracts.js'
export { type FindWitnesses, provenParties } from './diff/proof.js'
export { bumpedVersion, isLowerVersion, versionBump } from './diff/version-bump.js'
export { isMultipleOf } from './exact-multiples.js'
export { compilePattern, formatPatterns, formats, isValidatedFormat } from './formats.js'
export {
  arrayMember,
  extensionMembers,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  objectMember,
  parseJson,
  stringMember,
} from './json.js'
export { canonicalPointer, joinPath, joinPointer, pointerTokens, valueAt } from './json-pointer.js'
export { expressionIn } from './laws/expression.js'
export type { Law, LawCall, StatedLaw, Tokens } from './laws/law.js'
export { readLaws } from './laws/read-laws.js'
export { applyFixes, type Edit } from './lint/apply-fixes.js'
export { type LintFinding, lintContract, type Refusals } from './lint/lint-contract.js'
export type { LintRule } from './lint/lint-rule.js'
export { lintRules } from './lint/lint-rules.js'
export { createSchemaChecker, type SchemaChecker } from './lint/schema-checker.js'
export { type Documents, documentOf, pointerOf, type SourceDocument } from './load/documents.js'
export {
  documentPath,
  documentsFrom,
  isServiceUrl,
  type LoadOptions,
  loadDocuments,
  type ReadSource,
  readSource,
} from './load/load-documents.js'
export { problemOf as validationProblem } from './load/meta-problems.js'
export { parseDocument } from './load/parse-document.js'
export { positionsIn, sourcePositions } from './load/source-positions.js'
export type { Contract, DeclaredError, ExamplePairing, Link, Method, Param } from './model/contract.js'
export { tupleKeywords } from './model/dialect.js'
export { facets, itemSchemas, memberSchemas } from './model/facets.js'
export { declaredSchemas, followed, reachableSchemas } from './model/reachable-schemas.js'
export { loadContract, parseContract, readContract } from './model/read-contract.js'
export {
  isSchema,
  type LocatedSchema,
  referenceOf,
  type Schema,
  schemaKeywords,
  schemaList,
  schemaMap,
  schemaMember,
  subschemas,
} from './model/schema.js'
export { compilationRefusal, createSchemaCompiler } from './model/schema-compiler.js'
export {
  allowedTypes,
  areDisjoint,
  namesInheritedMembers,
  patternsApart,
  schemaSet,
  usesUnevaluated,
} from './model/schema-set.js'
export { codesWithoutData } from './model/server-data.js'
export { type Framing, type Session, sessionOf } from './model/session.js'
