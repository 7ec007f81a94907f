import { componentRules } from './component-rules.js'
import { declarationRules } from './declaration-rules.js'
import { exampleRules } from './example-rules.js'
import { extensionRules } from './extension-rules.js'
import { formatRules } from './format-rules.js'
import { linkRules } from './link-rules.js'
import type { LintRule } from './lint-rule.js'
import { methodRules } from './method-rules.js'
import { networkRules } from './network-rules.js'
import { ownExtensionRules } from './own-extension-rules.js'
import { readingRules } from './reading-rules.js'
import { schemaRules } from './schema-rules.js'
import { sourceRules } from './source-rules.js'

/** All rules. Problems at the same place are reported in this order. */
export const lintRules: readonly LintRule[] = [
  ...readingRules,
  ...methodRules,
  ...exampleRules,
  ...linkRules,
  ...componentRules,
  ...schemaRules,
  ...formatRules,
  ...sourceRules,
  ...declarationRules,
  ...extensionRules,
  ...networkRules,
  ...ownExtensionRules,
]
