import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { JSONPathEnvironment, type JSONValue } from 'json-p3'
import { joinPointer } from '../../toolkit/contract/index.js'
import { type LintFinding, type LintRule, lintRules } from '../../toolkit/lint/index.js'
import type { CustomRule, RuleSetting } from '../config/config-content.js'
import type { ProjectConfig } from '../config/project-config.js'
import { coverageRules } from './lint-coverage.js'

/** A rule as `--rules` lists it. */
export type ListedRule = Pick<LintRule, 'name' | 'severity' | 'summary'>

/** The rules that every contract is checked with. */
export const ownRules: readonly ListedRule[] = [...lintRules, ...coverageRules]

const paths = new JSONPathEnvironment()

/**
 * Returns the rules that a project adds: JSONPath expressions with a message, and those of its modules.
 * @throws UsageError with the line of the configuration when a rule cannot be used
 */
export async function projectRules(config: ProjectConfig): Promise<readonly LintRule[]> {
  const { custom = [], modules = [] } = config.lint ?? {}
  const named = custom.map((rule, at) =>
    pathRule(rule, (message) => config.refusal(['lint', 'custom', at], message)),
  )
  const loaded = await Promise.all(modules.map((path, at) => moduleRules(config, path, at)))
  const rules = [...named, ...loaded.flat()]
  const known = new Set(ownRules.map(({ name }) => name))
  for (const { name } of rules) {
    if (known.has(name))
      throw config.refusal(['lint'], `the rule "${name}" exists already: choose another name`)
    known.add(name)
  }
  return rules
}

function pathRule(
  { name, path, message, severity = 'error' }: CustomRule,
  refuse: (message: string) => Error,
): LintRule {
  const query = (() => {
    try {
      return paths.compile(path)
    } catch (cause) {
      throw refuse(
        `"${path}" is not a JSONPath (RFC 9535): ${cause instanceof Error ? cause.message : cause}`,
      )
    }
  })()
  return {
    name,
    severity,
    summary: message,
    check: ({ document }) =>
      query
        .query(document as JSONValue)
        .nodes.map(({ location }) => ({ pointer: joinPointer('#', ...location), message })),
  }
}

/** Imports the rules of a module. */
async function moduleRules(config: ProjectConfig, path: string, at: number): Promise<readonly LintRule[]> {
  const refuse = (message: string) => config.refusal(['lint', 'modules', at], `${path}: ${message}`)
  const loaded: { readonly rules?: unknown } = await import(
    pathToFileURL(resolve(config.folder, path)).href
  ).catch((cause: unknown) => {
    throw refuse(`cannot be loaded: ${cause instanceof Error ? cause.message : cause}`)
  })
  const { rules } = loaded
  if (!Array.isArray(rules) || !rules.every(isRule)) {
    throw refuse('export a list "rules" of { name, severity, summary, check }')
  }
  return rules
}

function isRule(value: unknown): value is LintRule {
  if (typeof value !== 'object' || value === null) return false
  const { name, severity, summary, check } = value as Readonly<Record<string, unknown>>
  const isNamed = typeof name === 'string' && typeof summary === 'string' && typeof check === 'function'
  return isNamed && ['error', 'warning', 'hint'].includes(String(severity))
}

/** Findings with the severities of the project. */
export interface JudgedFindings {
  readonly reported: readonly LintFinding[]
  /** The number of findings that are turned off. */
  readonly excepted: number
  /** Settings that turn a rule off although it has no problem there. */
  readonly idle: readonly RuleSetting[]
}

/**
 * Applies the severities of a project. The last setting that matches a finding counts.
 * @throws UsageError with the line of the configuration for an unknown rule
 */
export function withSeverities(
  findings: readonly LintFinding[],
  config: ProjectConfig,
  rules: readonly ListedRule[],
): JudgedFindings {
  const settings = config.lint?.rules ?? []
  for (const [at, { rule }] of settings.entries()) {
    if (!rules.some(({ name }) => name === rule)) {
      const message = `unknown rule "${rule}": "concordat lint --rules" lists all rules`
      throw config.refusal(['lint', 'rules', at, 'rule'], message)
    }
  }
  const judged = findings.map((finding) => {
    const setting = settings.findLast((candidate) => matches(finding, candidate))
    return { finding, severity: setting?.severity ?? finding.severity }
  })
  const reported = judged.flatMap(({ finding, severity }) =>
    severity === 'off' ? [] : { ...finding, severity },
  )
  const idle = settings.filter(
    (setting) => setting.severity === 'off' && !findings.some((finding) => matches(finding, setting)),
  )
  return { reported, excepted: findings.length - reported.length, idle }
}

function matches({ rule, pointer }: LintFinding, setting: RuleSetting): boolean {
  const { at } = setting
  return rule === setting.rule && (at === undefined || pointer === at || pointer.startsWith(`${at}/`))
}
