export { type Amount, amountOf, toQuantity } from './amount.js'
export { bundleDocuments, bundledComponents } from './bundle/bundle-documents.js'
export { publishDocument, withoutPrivateTerms } from './bundle/publish-document.js'
export { canonicalText, listChanges, sameJson } from './canonical.js'
export { danglingExtensions } from './checks/extension-references.js'
export {
  ContractError,
  type ContractProblem,
  contractError,
  problemText,
  type SourcePosition,
} from './contract-error.js'
export { createAjv } from './create-ajv.js'
export { isMultipleOf } from './exact-multiples.js'
export { formatPatterns, formats, isValidatedFormat } from './formats.js'
export {
  arrayMember,
  extensionMembers,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  numberMember,
  objectMember,
  parseJson,
  stringMember,
} from './json.js'
export {
  canonicalPointer,
  joinPath,
  joinPointer,
  pointerTokens,
  replacedAt,
  valueAt,
} from './json-pointer.js'
export { expressionIn } from './laws/expression.js'
export type { Asked, Law, LawCall, StatedLaw, Tokens } from './laws/law.js'
export { readLaws } from './laws/read-laws.js'
export {
  createDocumentReader,
  type Documents,
  documentOf,
  pointerOf,
  type SourceDocument,
} from './load/documents.js'
export { type ErrorExtension, errorExtensions } from './load/error-extensions.js'
export { type ExtensionDeclaration, extensionDeclarations } from './load/extension-declarations.js'
export { innerNode, type JsonNode, type JsonSource, readJsonSource } from './load/json-source.js'
export {
  documentPath,
  documentsFrom,
  followReferences,
  isServiceUrl,
  type LoadOptions,
  loadDocuments,
  type ReadSource,
  readSource,
} from './load/load-documents.js'
export { problemOf as validationProblem } from './load/meta-problems.js'
export { defaultsExtension } from './load/method-defaults.js'
export { parseDocument } from './load/parse-document.js'
export { type FindPosition, lineFinder, positionsIn, sourcePositions } from './load/source-positions.js'
export { documentProblems, isOpenRpcDocument } from './load/validate-document.js'
export { messagePattern } from './message-pattern.js'
export type {
  Contract,
  DeclaredError,
  ExamplePairing,
  Method,
  Param,
  Server,
} from './model/contract.js'
export { dialectOf, tupleKeywords } from './model/dialect.js'
export { type ExtendedObject, extendedObjects } from './model/extended-objects.js'
export { facets, itemSchemas, memberSchemas } from './model/facets.js'
export { failureCode, replacedCodes, statedFailure } from './model/failure-code.js'
export { closure, leadsTo, target } from './model/leads-to.js'
export { declaredSchemas, endOfReferences, followed, reachableSchemas } from './model/reachable-schemas.js'
export { errorPlaces } from './model/read-methods.js'
export { compareItems, orderedLists } from './model/result-order.js'
export {
  isSchema,
  type LocatedSchema,
  referenceOf,
  type Schema,
  schemaList,
  schemaMap,
  schemaMember,
  subschemas,
  takesAnything,
} from './model/schema.js'
export {
  type AssertingKeyword,
  isAnnotation,
  type KeywordType,
  keywordRows,
  schemaKeywords,
} from './model/schema-keywords.js'
export { type Framing, type Session, sessionOf } from './model/session.js'
export { areDisjoint } from './normal-form/are-disjoint.js'
export { coveredTypes, inContext, possibleTypes } from './normal-form/in-context.js'
export { createSchemaClasses } from './normal-form/schema-classes.js'
export {
  allTypes,
  declaredTypes,
  impliedType,
  type TypeAtom,
  typeOfValue,
} from './normal-form/type-atoms.js'
export { compilePattern, isUnsafePattern, matchesPattern, unsafePatternTree } from './patterns.js'
export { loadContract, parseContract, readContract, readModel } from './read-contract.js'
export { createSchemaChecker, type SchemaChecker } from './validation/schema-checker.js'
export { compilationRefusal, schemaCompiler } from './validation/schema-compiler.js'
export {
  namesInheritedMembers,
  patternsApart,
  schemaSet,
  usesUnevaluated,
} from './validation/schema-set.js'
export { codesWithoutData } from './validation/server-data.js'
