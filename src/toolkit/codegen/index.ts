export { deriveCases, type ExploreOptions, exploredCase, exploredCases } from '../cases/index.js'
export { type Contract, ContractError, loadContract, parseContract } from '../contract/index.js'
export { ChosenNameError, type ChosenNames } from './chosen-names.js'
export { type ConnectionRoles, connectionRoles } from './connection-roles.js'
export { emitConformance } from './emit/emit-conformance.js'
export { exampleJudge, type ValidExample } from './emit/judge-examples.js'
export { pathOf } from './emit/member-paths.js'
export {
  type Emit,
  EmitterError,
  type EmitterOptions,
  type EmitterPlugin,
  refuseTwice,
  runEmitter,
} from './emitter-plugin.js'
export {
  createSource,
  type Generated,
  type GenerationProblems,
  generate,
  generateFiles,
  generationProblems,
  type Part,
  parts,
  validatorsText,
} from './generate-files.js'
export type { GeneratedFile, Source, Tool } from './generated-file.js'
export { lineDiff } from './line-diff.js'
export { createPackage } from './package/create-package.js'
export {
  importedPackages,
  isPackageName,
  packageNameMost,
  packageVersion,
  readPackageJson,
  reservedNames,
  updatePackageJson,
} from './package/package-json.js'
export { codeBlock, proseLine } from './reference/markdown.js'
export { access, indentRest, literal, literalKey, quote } from './text.js'
export { code } from './types/note-text.js'
export { applyPlan, isStale, OutputError, planWrite, type WritePlan } from './write-files.js'
