import {
  arrayMember,
  isArray,
  isObject,
  type JsonValue,
  member,
  objectMember,
  stringMember,
} from '../json.js'
import { joinPointer } from '../json-pointer.js'
import type { LintProblem, LintRule, LintSubject } from './lint-rule.js'

/** Rules about the rules and failures that a contract states; a contract without any is passed over. */
export const extensionRules: readonly LintRule[] = [
  {
    name: 'duplicate-rule',
    severity: 'error',
    summary: 'No two rules of "x-rules" have one id.',
    advice: 'rename one',
    check: ({ info }) => {
      const ids = ruleIds(info)
      return ids.flatMap((id, at) => {
        const first = ids.indexOf(id)
        if (first === at || id === '') return []
        return [{ pointer: ruleAt(at), message: `the rule "${id}" is also declared at ${ruleAt(first)}` }]
      })
    },
  },
  {
    name: 'unknown-rule',
    severity: 'error',
    summary: 'Rules that are named anywhere are declared in "x-rules".',
    advice: 'correct the id, or declare the rule',
    check: unknownRules,
  },
  {
    name: 'unused-rule',
    severity: 'warning',
    summary: 'A rule about methods is named by a method.',
    check: ({ contract, info }) => {
      const named = new Set(contract.methods.flatMap(({ extensions }) => strings(extensions['x-rules'])))
      return arrayMember(info, 'x-rules').flatMap((rule, at) => {
        if (!isObject(rule) || stringMember(rule, 'scope') !== 'method') return []
        const id = stringMember(rule, 'id') ?? ''
        if (named.has(id)) return []
        return [
          { pointer: ruleAt(at), message: `no method names the rule "${id}": add it to "x-rules" of one` },
        ]
      })
    },
  },
  {
    name: 'method-without-rule',
    severity: 'warning',
    summary: 'Where a contract has rules, every method names some.',
    check: ({ contract, info }) =>
      ruleIds(info).length === 0
        ? []
        : contract.methods
            .filter(({ extensions }) => strings(extensions['x-rules']).length === 0)
            .map(({ pointer }) => ({ pointer, message: 'names no rule: add "x-rules"' })),
  },
  {
    name: 'method-without-null-rule',
    severity: 'warning',
    summary: 'A lookup that may answer null names the rule that says when.',
    check: withoutNullRule,
  },
  {
    name: 'unknown-failure-error',
    severity: 'error',
    summary: 'The failures of "x-failures" are answered by errors of the contract.',
    advice: 'correct the name, or declare the error',
    check: ({ contract, info }) =>
      Object.entries(objectMember(info, 'x-failures')).flatMap(([name, failure]) => {
        const error = isObject(failure) ? stringMember(failure, 'error') : undefined
        if (error === undefined || contract.errors.some(({ key }) => key === error)) return []
        const pointer = joinPointer('#/info/x-failures', name, 'error')
        return [{ pointer, message: `there is no error "${error}" in the components` }]
      }),
  },
  {
    name: 'method-without-effect',
    severity: 'error',
    summary: 'Where a method says what it does to the service ("x-effect"), every method does.',
    check: ({ contract }) => {
      const effect = ({ extensions }: (typeof contract.methods)[number]) => extensions['x-effect']
      if (contract.methods.every((method) => effect(method) === undefined)) return []
      return contract.methods
        .filter((method) => effect(method) === undefined)
        .map(({ pointer }) => ({
          pointer,
          message: 'has no "x-effect", as others have: add "read" or "write"',
        }))
    },
  },
]

const ruleAt = (at: number) => joinPointer('#/info/x-rules', at)

function ruleIds(info: LintSubject['info']): readonly string[] {
  return arrayMember(info, 'x-rules').map((rule) => (isObject(rule) ? (stringMember(rule, 'id') ?? '') : ''))
}

function strings(value: JsonValue | undefined): readonly string[] {
  return isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

/** Every list of rule ids that a contract holds, with its place. */
function namedRules({ contract, info }: LintSubject): readonly (readonly [string, readonly string[]])[] {
  const of = (list: string, name: string) =>
    arrayMember(info, list).flatMap((item, at) => {
      if (!isObject(item)) return []
      const value = member(item, name)
      const ids = typeof value === 'string' ? [value] : strings(value)
      return [[joinPointer('#/info', list, at, name), ids] as const]
    })
  return [
    ...of('x-tolerances', 'rules'),
    ...of('x-derived-rules', 'rule'),
    ...contract.methods.flatMap(({ pointer, extensions, examples }) => [
      [joinPointer(pointer, 'x-rules'), strings(extensions['x-rules'])] as const,
      ...examples.map(
        (example) =>
          [joinPointer(example.pointer, 'x-rules'), strings(example.extensions['x-rules'])] as const,
      ),
    ]),
  ]
}

function unknownRules(subject: LintSubject): readonly LintProblem[] {
  const declared = new Set(ruleIds(subject.info))
  return namedRules(subject).flatMap(([pointer, ids]) =>
    ids
      .filter((id) => !declared.has(id))
      .map((id) => ({ pointer, message: `there is no rule "${id}" in "x-rules" of info` })),
  )
}

function withoutNullRule({ contract, info }: LintSubject): readonly LintProblem[] {
  const texts = new Map(
    arrayMember(info, 'x-rules').flatMap((rule) =>
      isObject(rule) ? [[stringMember(rule, 'id') ?? '', stringMember(rule, 'text') ?? ''] as const] : [],
    ),
  )
  return contract.methods.flatMap(({ pointer, extensions }) => {
    if (extensions['x-lookup'] !== true) return []
    const says = strings(extensions['x-rules']).some((id) => /\bnull\b/i.test(texts.get(id) ?? ''))
    return says ? [] : [{ pointer, message: 'may answer null, and no rule says when: add one to "x-rules"' }]
  })
}
