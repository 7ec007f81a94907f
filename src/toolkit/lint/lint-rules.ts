import type { LintRule } from './lint-rule.js'
import { componentRules } from './rules/component-rules.js'
import { declarationRules } from './rules/declaration-rules.js'
import { exampleRules } from './rules/example-rules.js'
import { extensionRules } from './rules/extension-rules.js'
import { formatRules } from './rules/format-rules.js'
import { linkRules } from './rules/link-rules.js'
import { methodRules } from './rules/method-rules.js'
import { networkRules } from './rules/network-rules.js'
import { ownExtensionRules } from './rules/own-extension-rules.js'
import { possibilityRules } from './rules/possibility-rules.js'
import { schemaRules } from './rules/schema-rules.js'
import { readingRules, sourceRules } from './rules/source-rules.js'

/** All rules. Problems at the same place are reported in this order. */
export const lintRules: readonly LintRule[] = [
  ...readingRules,
  ...methodRules,
  ...exampleRules,
  ...linkRules,
  ...componentRules,
  ...schemaRules,
  ...possibilityRules,
  ...formatRules,
  ...sourceRules,
  ...declarationRules,
  ...extensionRules,
  ...networkRules,
  ...ownExtensionRules,
]
