export { applyFixes, type Edit } from './apply-fixes.js'
export { type LintFinding, lintContract } from './lint-contract.js'
export type { LintRule } from './lint-rule.js'
export { lintRules } from './lint-rules.js'
