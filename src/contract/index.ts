export type {
  ContentDescriptor,
  Contract,
  DeclaredError,
  Documented,
  ExamplePairing,
  ExampleValue,
  Method,
  NamedSchema,
  Param,
  Server,
} from './contract.js'
export { ContractError, type ContractProblem, contractError, problemText } from './contract-error.js'
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
export { canonicalPointer, joinPointer, pointerTokens, valueAt } from './json-pointer.js'
export { loadContract, parseContract } from './load-contract.js'
export { followed, reachableSchemas } from './reachable-schemas.js'
export { readContract } from './read-contract.js'
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
} from './schema.js'
