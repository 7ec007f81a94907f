import {
  arrayMember,
  isArray,
  isObject,
  type JsonValue,
  joinPointer,
  sameJson,
  stringMember,
} from '../../contract/index.js'
import type { LintProblem, LintRule, LintSubject } from '../lint-rule.js'

/** Rules about "x-rules". They apply only to contracts that state rules. */
export const extensionRules: readonly LintRule[] = [
  {
    name: 'duplicate-rule',
    severity: 'error',
    summary: 'Ids in "x-rules" are unique.',
    advice: 'rename one',
    check: ({ info }) => {
      const ids = ruleIds(info)
      return ids.flatMap((id, at) => {
        const first = ids.indexOf(id)
        if (first === at || id === '') return []
        const pointer = ruleAt(at)
        const message = `the rule "${id}" is already declared at ${ruleAt(first)}`
        const rules = arrayMember(info, 'x-rules')
        return [
          { pointer, message, ...(sameJson(rules[at], rules[first]) && { fix: [{ remove: pointer }] }) },
        ]
      })
    },
  },
  {
    name: 'unused-rule',
    severity: 'warning',
    summary: 'Every rule about methods is listed by a method.',
    check: ({ contract, info }) => {
      const named = new Set(contract.methods.flatMap(({ extensions }) => strings(extensions['x-rules'])))
      return arrayMember(info, 'x-rules').flatMap((rule, at) => {
        if (!isObject(rule) || stringMember(rule, 'scope') !== 'method') return []
        const id = stringMember(rule, 'id') ?? ''
        if (named.has(id)) return []
        return [
          {
            pointer: ruleAt(at),
            message: `no method lists the rule "${id}": add it to a method's "x-rules"`,
          },
        ]
      })
    },
  },
  {
    name: 'method-without-rule',
    severity: 'warning',
    summary: 'If a contract has rules, every method lists at least one.',
    check: ({ contract, info }) =>
      ruleIds(info).length === 0
        ? []
        : contract.methods
            .filter(({ extensions }) => strings(extensions['x-rules']).length === 0)
            .map(({ pointer }) => ({ pointer, message: 'lists no rule: add "x-rules"' })),
  },
  {
    name: 'method-without-null-rule',
    severity: 'warning',
    summary: 'If a contract has rules, a lookup that may return null lists the rule that says when.',
    check: withoutNullRule,
  },
]

const ruleAt = (at: number) => joinPointer('#/info/x-rules', at)

function ruleIds(info: LintSubject['info']): readonly string[] {
  return arrayMember(info, 'x-rules').map((rule) => (isObject(rule) ? (stringMember(rule, 'id') ?? '') : ''))
}

function strings(value: JsonValue | undefined): readonly string[] {
  return isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

function withoutNullRule({ contract, info }: LintSubject): readonly LintProblem[] {
  const texts = new Map(
    arrayMember(info, 'x-rules').flatMap((rule) =>
      isObject(rule) ? [[stringMember(rule, 'id') ?? '', stringMember(rule, 'text') ?? ''] as const] : [],
    ),
  )
  if (texts.size === 0) return []
  return contract.methods.flatMap(({ pointer, extensions }) => {
    if (extensions['x-lookup'] !== true) return []
    const says = strings(extensions['x-rules']).some((id) => /\bnull\b/i.test(texts.get(id) ?? ''))
    return says ? [] : [{ pointer, message: 'may return null, but no rule says when: add one to "x-rules"' }]
  })
}
